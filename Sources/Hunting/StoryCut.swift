import Timeline
import WireFormats

/// The part of a story that is played to make a find smaller: fewer phones, and a shorter time. It is compared with the
/// same part without trouble.
package struct StoryCut: Hashable, Sendable {
  /// Number of phones; nil for all.
  package var phones: Int?
  /// The time of the story, without its quiet time; nil for the whole.
  package var length: Duration?

  package init() {}

  package var isWhole: Bool { self == StoryCut() }

  /// The changes in the words of a scenario file.
  package var words: [String] {
    [phones.map { "settings: {fleet.devices: \($0)}" }, length.map { "for: \(DurationText.write($0))" }]
      .compactMap(\.self)
  }

  /// Smaller parts, the smallest first, each with the perturbations that fit it.
  func smaller(_ ground: HuntingGround, _ perturbations: [Perturbation]) -> [(cut: StoryCut, [Perturbation])] {
    guard ground.door == .scenario else { return [] }
    let now = phones ?? ground.phones
    var parts: [(StoryCut, [Perturbation])] = []
    for count in fewerPhones(than: now) {
      var cut = self
      cut.phones = count
      parts.append((cut, perturbations.map { $0.fitting(count, of: now) }))
    }
    let whole = length ?? ground.length
    for share in [0.5, 0.75] {
      var cut = self
      cut.length = .seconds(Int(whole * share / .seconds(1)))
      if cut.length != .zero { parts.append((cut, perturbations)) }
    }
    return parts
  }

  /// Numbers of phones to try: one first, and all of them before any shorter time.
  private func fewerPhones(than now: Int) -> [Int] {
    guard length == nil else { return [] }
    return (phones == nil && now > 1 ? [1] : []) + (now > 3 ? [now / 2] : [])
  }
}

extension Perturbation {
  /// A copy for fewer phones: it names only those that are left, and strikes as early as before among fewer pushes.
  fileprivate func fitting(_ phones: Int, of before: Int) -> Perturbation {
    guard place == .faults, let parts = value["when"]?.members else { return self }
    let fitted = parts.map { part -> JSONValue.Member in
      switch part.key {
      case "skip":
        return .init("skip", part.value.integer.map { .integer($0 * Int64(phones) / Int64(before)) } ?? part.value)
      case "devices":
        let left = (part.value.elements ?? []).filter { id in id.string.map { number(of: $0) < phones } ?? false }
        return .init("devices", .array(left.isEmpty ? ["d0"] : left))
      default: return part
      }
    }
    return with("when", .object(fitted))
  }

  /// The number in the id of a device, such as 7 of `d7`.
  private func number(of id: String) -> Int { Int(id.dropFirst()) ?? .max }
}
