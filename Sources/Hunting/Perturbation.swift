import Timeline
import WireFormats

/// A thing that goes wrong in a variant of a story, in the words of the grammar: an entry of a scenario's `faults` or
/// `steps`, or one of its settings. A test takes the same entry as a fault of its session.
package struct Perturbation: Hashable, Sendable {
  /// The part of a scenario that it is added to.
  package enum Place: String, CaseIterable, Sendable {
    case faults, steps, settings
  }

  package let place: Place
  /// The word for what goes wrong, such as `loseAnswer`, `goOffline` or `backend: kill`.
  package let kind: String
  /// The entry, without a name, or several that belong together; of a setting, an object with its key in dots and its
  /// value.
  package let value: JSONValue

  package init(_ place: Place, _ kind: String, entry value: JSONValue) {
    self.place = place
    self.kind = kind
    self.value = value
  }

  /// A fault with that consequence.
  ///
  /// - Parameters:
  ///   - kind: the first member of `then`, if it is nil.
  ///   - others: further members, such as `when` and `limit`.
  static func fault(_ then: JSONValue, kind: String? = nil, _ others: [JSONValue.Member] = []) -> Perturbation {
    Perturbation(.faults, kind ?? then.members?.first?.key ?? "fault", entry: .object(others + [.init("then", then)]))
  }

  static func step(_ kind: String, at time: Duration, _ members: [JSONValue.Member]) -> Perturbation {
    Perturbation(.steps, kind, entry: .object([.init("at", .string(DurationText.write(time)))] + members))
  }

  /// The backend is stopped or killed, and started again some time later.
  static func restart(_ how: String, from time: Duration, to end: Duration) -> Perturbation {
    func step(_ time: Duration, _ order: String) -> JSONValue {
      ["at": .string(DurationText.write(time)), "backend": .string(order)]
    }
    return Perturbation(.steps, "backend: \(how)", entry: [step(time, how), step(end, "start")])
  }

  /// The words by which it can be left out: its kind and, of an answer, the reason.
  var names: Set<String> { Set([kind, value["then"]?["answer"]?.string].compactMap(\.self)) }

  /// Number of times that it strikes at the most, counted twice if the backend has to wait after each.
  private var strikes: Int {
    let limit = Int(clamping: value["limit"]?.integer ?? 1)
    return value["then"]?["retryAfter"] == nil ? limit : 2 * limit
  }

  /// The first ones that strike no more often together.
  static func few(_ all: [Perturbation], strikes most: Int) -> [Perturbation] {
    var left = most
    return all.filter { one in
      guard one.strikes <= left else { return false }
      left -= one.strikes
      return true
    }
  }

  /// The entries, one by one.
  package var entries: [JSONValue] { value.elements ?? [value] }

  /// The prefix of the names of faults, which a story must leave to the hunt.
  package static let namePrefix = "hunt "

  /// The name of the faults of a perturbation.
  ///
  /// - Parameter index: its place in the variant.
  package static func faultName(_ index: Int) -> String { "\(namePrefix)\(index + 1)" }

  /// The entries as faults with their name.
  ///
  /// - Parameter index: the place of the perturbation in the variant.
  package func faults(at index: Int) -> [JSONValue] {
    entries.map { .object([.init("name", .string(Self.faultName(index)))] + ($0.members ?? [])) }
  }

  /// Of two perturbations of one subject, a variant has only the first: a backend can be stopped once, and a setting
  /// has one value. Nil if there can be several.
  private var subject: String? {
    switch place {
    case .settings: kind
    case .steps: kind.hasPrefix("backend") ? "backend" : nil
    case .faults: nil
    }
  }

  /// The perturbations that can be in one variant together.
  static func joined(_ all: [Perturbation]) -> [Perturbation] {
    var subjects: Set<String> = []
    return all.filter { $0.subject.map { subjects.insert($0).inserted } ?? true }
  }

  static func setting(_ key: String, _ value: JSONValue) -> Perturbation {
    Perturbation(.settings, key, entry: .object([.init(key, value)]))
  }

  /// A copy with another member; without it if the value is nil.
  func with(_ key: String, _ value: JSONValue?) -> Perturbation {
    guard let members = self.value.members else { return self }
    var copy = members.filter { $0.key != key }
    if let value {
      let place = members.firstIndex { $0.key == key } ?? 0
      copy.insert(.init(key, value), at: min(place, copy.count))
    }
    return Perturbation(place, kind, entry: .object(copy))
  }

  /// The form in requests and responses, and in the file of kept examples.
  package var json: JSONValue {
    ["in": .string(place.rawValue), "kind": .string(kind), "entry": value]
  }

  /// Nil if it has another form.
  package init?(_ json: JSONValue) {
    guard let place = json["in"]?.string.flatMap(Place.init(rawValue:)), let kind = json["kind"]?.string,
      let entry = json["entry"], entry.members != nil || entry.elements?.isEmpty == false
    else { return nil }
    self.init(place, kind, entry: entry)
  }
}
