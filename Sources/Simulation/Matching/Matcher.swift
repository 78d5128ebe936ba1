import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// A compiled filter for many subjects: values are numbers if possible, so that names need not be compared each time.
struct Matcher: Sendable {
  /// The parts of the filter.
  let parts: Filter.Parts
  /// The numeric parts of the filter.
  let numeric: Numeric
  /// Number of the app; nil if the filter has no app, or the fleet does not have it.
  let app: Int?
  /// The criteria that are not numbers; nil if all are.
  let rest: SlowCriteria?

  /// Numeric criteria. They hold no references, so that checking them retains nothing.
  struct Numeric: Sendable {
    fileprivate let wanted: MatchNumbers
    fileprivate let mask: MatchNumbers

    func passes(_ numbers: MatchNumbers) -> Bool { numbers.isSame(as: wanted, in: mask) }
  }

  /// - Parameters:
  ///   - apps: bundle ids of the fleet.
  ///   - steps: names of a scenario's steps, by the step numbers of the subjects.
  ///   - chance: draws the devices of a share.
  init(_ filter: Filter, apps: [String] = [], steps: [String?] = [], share chance: Chance = Chance(seed: 0)) {
    #if PUSHPIT_CHECKS
      // Whoever makes a matcher resolves `user` first, as only a fleet knows whose phones those are.
      if let user = filter.user {
        fatalError("A check of Pushpit itself has failed. No fleet has resolved \(user.text) into devices to match.")
      }
    #endif
    parts = filter.parts
    app = filter.app.flatMap { apps.firstIndex(of: $0) }
    var numbers = MatchNumbers()
    var mask = MatchNumbers.none
    var rest: Filter.Parts = []
    for part in Filter.Part.allCases where parts.contains(part) {
      // A single device is numeric; a list is not.
      guard let bits = MatchNumbers(bitsOf: part), part != .devices || filter.devices?.count == 1 else {
        rest.insert(part)
        continue
      }
      mask = mask | bits
      Self.set(part, of: filter, app, in: &numbers)
    }
    // 26 matches every 26.
    if let os = filter.os, os.minor == nil { mask.ignoreMinorVersion() }
    numeric = Numeric(wanted: numbers, mask: mask)
    self.rest = rest.isEmpty ? nil : SlowCriteria(rest, of: filter, steps: steps, chance: chance)
  }

  private static func set(_ part: Filter.Part, of filter: Filter, _ app: Int?, in numbers: inout MatchNumbers) {
    switch part {
    case .environment: filter.environment.map { numbers.set($0) }
    case .priority: filter.priority.map { numbers.set($0) }
    case .type: filter.type.map { numbers.set($0) }
    case .tokenKind: filter.tokenKind.map { numbers.set($0) }
    case .app: numbers.set(app: app ?? MatchNumbers.unknownApp)
    case .os: filter.os.map { numbers.set($0) }
    case .status: filter.status.map { numbers.set(status: $0) }
    case .isOnline: filter.isOnline.map { numbers.set(isOnline: $0) }
    case .isLive: filter.isLive.map { numbers.set(isLive: $0) }
    case .isFailed: filter.isFailed.map { numbers.set(isFailed: $0) }
    case .connection: filter.connection.map { numbers.connection = $0 }
    case .devices: filter.devices?.first.map { numbers.set($0) }
    default: break
    }
  }

  func matches(_ subject: inout some MatchSubject) -> Bool {
    guard numeric.passes(subject.numbers) else { return false }
    return rest?.matches(&subject) ?? true
  }

  /// True if the subject matches in one part of the filter.
  func holds(_ part: Filter.Part, _ subject: inout some MatchSubject) -> Bool {
    if let bits = MatchNumbers(bitsOf: part), !(rest?.parts.contains(part) ?? false) {
      return subject.numbers.isSame(as: numeric.wanted, in: numeric.mask & bits)
    }
    return rest?.holds(part, &subject) ?? true
  }

  /// The number of values that do not match.
  func mismatches(_ subject: inout some MatchSubject) -> Int {
    var count = 0
    for part in Filter.Part.allCases where parts.contains(part) {
      if part == .headers {
        for header in headers where !holds(header, &subject) { count += 1 }
      } else if !holds(part, &subject) {
        count += 1
      }
    }
    return count
  }

  var headers: [SlowCriteria.Header] { rest?.headers ?? [] }

  func holds(_ header: SlowCriteria.Header, _ subject: inout some MatchSubject) -> Bool {
    rest?.holds(header, &subject) ?? true
  }

  /// True if the result depends on the push's fate after its answer.
  var looksAtFate: Bool { !parts.isDisjoint(with: [.fate, .cause, .outcome]) }
  /// True if the result depends on later changes of the push's fate or of what was sent.
  var looksAtLater: Bool { looksAtFate || parts.contains(.sent) }
}
