import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// A filter made ready to look at many subjects: what can be a number is one, and no name is compared for each of them.
struct Matcher: Sendable {
  /// What is asked.
  let parts: Filter.Parts
  private let wanted: MatchNumbers
  private let mask: MatchNumbers
  /// Number of the app that is asked for; nil for none, and for one that no app of the fleet is.
  let app: Int?
  /// What is no number; nil where numbers are all that is asked.
  private let rest: Rest?

  /// - Parameters:
  ///   - apps: bundle ids of the fleet.
  ///   - steps: names of a scenario's steps, as the subjects count them.
  ///   - chance: draws the devices of a share.
  init(_ filter: Filter, apps: [String] = [], steps: [String?] = [], share chance: Chance = Chance(seed: 0)) {
    parts = filter.parts
    app = filter.app.flatMap { apps.firstIndex(of: $0) }
    var numbers = MatchNumbers()
    var mask = MatchNumbers.none
    var rest: Filter.Parts = []
    for part in Filter.Part.allCases where parts.contains(part) {
      // Several devices are no number.
      guard let bits = MatchNumbers(bitsOf: part), part != .devices || filter.devices?.count == 1 else {
        rest.insert(part)
        continue
      }
      mask = mask | bits
      Self.set(part, of: filter, app, in: &numbers)
    }
    // 26 stands for every 26.
    if let os = filter.os, os.minor == nil { mask.ignoreMinorVersion() }
    wanted = numbers
    self.mask = mask
    self.rest = rest.isEmpty ? nil : Rest(rest, filter, steps, chance)
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

  /// Whether nothing that is a number speaks against a subject.
  @inline(__always)
  func passes(_ numbers: MatchNumbers) -> Bool { numbers.isSame(as: wanted, in: mask) }

  /// Whether a subject is meant.
  @inline(__always)
  func matches(_ subject: inout some MatchSubject) -> Bool {
    guard passes(subject.numbers) else { return false }
    return rest?.matches(&subject) ?? true
  }

  /// Whether a part that is asked holds.
  func holds(_ part: Filter.Part, _ subject: inout some MatchSubject) -> Bool {
    if let bits = MatchNumbers(bitsOf: part), !(rest?.parts.contains(part) ?? false) {
      return subject.numbers.isSame(as: wanted, in: mask & bits)
    }
    return rest?.holds(part, &subject) ?? true
  }

  /// How many of the things said do not hold.
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

  var headers: [Rest.Header] { rest?.headers ?? [] }

  func holds(_ header: Rest.Header, _ subject: inout some MatchSubject) -> Bool {
    rest?.holds(header, &subject) ?? true
  }

  /// Whether it depends on the fate of a push after its answer.
  var looksAtFate: Bool { !parts.isDisjoint(with: [.fate, .cause, .outcome]) }
  /// Whether it depends on what becomes of a push or of its answer.
  var looksAtLater: Bool { looksAtFate || parts.contains(.sent) }
}
