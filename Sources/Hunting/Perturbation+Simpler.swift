import Timeline
import WireFormats

/// Perturbations that say less.
extension Perturbation {
  /// Copies that are simpler by one thing each, the ones that leave out most first.
  var simpler: [Perturbation] {
    guard let members = value.members else { return [] }
    var copies: [Perturbation] = []
    if value["odds"] != nil { copies.append(with("odds", nil).with("limit", 1)) }
    for key in ["from", "for", "until"] where value[key] != nil && place == .faults { copies.append(with(key, nil)) }
    if let limit = value["limit"]?.integer, limit > 1 { copies.append(with("limit", 1)) }
    if place == .faults, value["limit"] == nil, value["odds"] == nil, members.contains(where: { $0.key == "then" }),
      !lastsUntilRemoved
    {
      copies.append(Perturbation(place, kind, entry: .object([.init("limit", 1)] + members)))
    }
    copies += simplerConditions
    return copies.filter { $0 != self }
  }

  /// True if it has no limit, because it does not strike single pushes.
  private var lastsUntilRemoved: Bool {
    let then = value["then"]
    return ["devices", "listener"].contains { then?[$0] != nil }
  }

  /// Copies whose condition has a member less, or a smaller number.
  private var simplerConditions: [Perturbation] {
    guard let parts = value["when"]?.members else { return [] }
    var copies: [Perturbation] = []
    for part in parts {
      let rest = parts.filter { $0.key != part.key }
      if part.key != "idle" { copies.append(with("when", rest.isEmpty ? nil : .object(rest))) }
      guard let less = Self.less(part) else { continue }
      copies.append(with("when", .object(parts.map { $0.key == part.key ? .init(part.key, less) : $0 })))
    }
    return copies
  }

  /// The value of a member of a condition, made smaller by half.
  private static func less(_ part: JSONValue.Member) -> JSONValue? {
    switch part.key {
    case "skip": part.value.integer.flatMap { $0 > 1 ? .integer($0 / 2) : nil }
    case "every": part.value.integer.flatMap { $0 > 2 ? .integer($0 / 2) : nil }
    case "devices": part.value.elements.flatMap { $0.count > 1 ? .array(Array($0.prefix(($0.count + 1) / 2))) : nil }
    default: nil
    }
  }
}
