import APNs
import Timeline
import WireFormats

/// A scenario: a fleet, steps, and expectations.
///
/// A value without files, clock or sockets; the player provides the time.
package struct Scenario: Sendable {
  package var name: String
  /// The file's name as given, for messages and for the command that repeats the run.
  package var file: String
  package var plan: FleetPlan
  package var rulebook = Rulebook()
  package var channels = ChannelRulebook()
  package var pushLogEntries = 10_000
  /// The world's time at the beginning.
  package var begins = Scenario.usualBegin
  package var length: Duration
  package var steps: [Step] = []
  package var expectations: [Expectation] = []

  package init(name: String, file: String, plan: FleetPlan, length: Duration) {
    self.name = name
    self.file = file
    self.plan = plan
    self.length = length
  }

  /// 2026-06-13T18:00:00Z, a Saturday evening. Fixed, because otherwise no two runs would give the same report.
  package static let usualBegin = Instant(seconds: 1_781_373_600)
  /// Maximum number of repetitions of all steps together, so that a typing error does not fill the memory.
  package static let mostMoments = 1_000_000
  package static let mostExpectations = 1_000

  package var seed: UInt64 { plan.seed }

  /// The same scenario with another seed.
  package func seeded(_ seed: UInt64) -> Scenario {
    var copy = self
    copy.plan.seed = seed
    return copy
  }
}

extension Scenario {
  /// The result of an expectation.
  package struct Verdict: Hashable, Sendable {
    package let name: String
    package let place: String
    /// When it was evaluated, relative to the scenario's beginning.
    package let at: Duration
    package internal(set) var passed: Bool
    /// Whether it only requires that something happened at least once.
    package var isSometimes = false
    /// False if the run ended before it could be evaluated.
    package var wasEvaluated = true
    package var wanted = ""
    package var found = ""
    /// The numbers by which it was judged, and what was required of them; nil if it was not evaluated.
    var figures: Figures?
    var requirement: Requirement?
    /// What each cell has found, if the cells' verdicts were merged.
    var parts: String?
    /// The nearest match, and what differs.
    package var nearest: String?
    /// The pushes involved, with their fates.
    package var pushes: [String] = []
    /// The calls of apps involved.
    package var calls: [String] = []
    /// The auditor's findings.
    package var findings: [String] = []
  }
}

extension Scenario.Verdict {
  /// For programs.
  package var json: JSONValue {
    [
      "name": .string(name), "place": .string(place), "at": .string(time), "passed": .bool(passed),
      "wanted": .string(wanted), "found": .string(found), "nearest": JSONValue(nearest),
      "pushes": .array(pushes.map { .string($0) }), "calls": .array(calls.map { .string($0) }),
      "findings": .array(findings.map { .string($0) }),
    ]
  }

  /// With what merging needs, for the client that merges.
  var partJSON: JSONValue {
    guard case .object(var members) = json else { return .null }
    if let figures { members.append(.init("figures", figures.json)) }
    if let requirement { members.append(.init("requirement", requirement.json)) }
    return .object(members)
  }
}
