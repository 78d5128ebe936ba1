import APNs
import Simulation
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
  /// True if the backend keeps its data when it is stopped or killed: `backend.persists`.
  package var backendPersists = false
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

  /// A copy of the scenario with another seed.
  package func seeded(_ seed: UInt64) -> Scenario {
    var copy = self
    copy.plan.seed = seed
    return copy
  }
}
