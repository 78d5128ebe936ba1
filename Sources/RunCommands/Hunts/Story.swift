import Grammar
import Hunting
import ScenarioFiles
import Scenarios
import Simulation
import Timeline
import WireFormats

/// A scenario as the story of a hunt: its variants have perturbations, and its own expectations are not evaluated in them.
struct Story: Sendable {
  /// Number of seeds with which it is played.
  static let seeds = 5
  /// Time in which a right backend recovers, if the file gives none.
  private static let quiet: Duration = .seconds(120)

  let file: ScenarioFile
  /// The time until the quiet time begins.
  let length: Duration

  init(_ file: ScenarioFile) throws(InputProblem) {
    var additions = ScenarioAdditions()
    additions.quiet = DurationText.write(Self.quiet)
    self.file = try file.with(additions)
    // The step that deletes all faults is the last one.
    length = self.file.scenario.steps.last?.first ?? self.file.scenario.length
  }

  /// The name of the fault of a perturbation, by its index.
  static func name(_ index: Int) -> String { "hunt \(index + 1)" }

  /// The story with perturbations.
  ///
  /// - Parameter expect: takes the place of its expectations, if it is to fail as a find does.
  func with(
    _ perturbations: [Perturbation], seed: UInt64, name: String? = nil, expect: [JSONValue]? = nil
  ) throws(InputProblem) -> ScenarioFile {
    var additions = ScenarioAdditions()
    (additions.name, additions.expect) = (name, expect)
    for (index, perturbation) in perturbations.enumerated() {
      switch perturbation.place {
      case .faults:
        additions.faults += perturbation.entries.map { entry in
          .object([.init("name", .string(Self.name(index)))] + (entry.members ?? []))
        }
      case .steps: additions.steps += perturbation.entries
      case .settings: additions.settings += perturbation.entries.flatMap { $0.members ?? [] }
      }
    }
    return try file.with(additions).seeded(seed)
  }
}
