import Grammar
import Hunting
import ScenarioFiles
import Scenarios
import Simulation
import Timeline
import WireFormats

/// A scenario as the story of a hunt: its variants have perturbations, and its own expectations are not evaluated in
/// them. That of a find takes their place in its replays.
struct Story: Sendable {
  /// Number of seeds with which it is played.
  static let seeds = 5
  /// Time in which a right backend recovers, if the file gives none.
  private static let quiet: Duration = .seconds(120)

  let file: ScenarioFile
  /// The time until the quiet time begins.
  let length: Duration
  /// A clause about a quiet time that was added; empty if the file has one.
  let addition: String

  init(_ file: ScenarioFile) throws(InputProblem) {
    var additions = ScenarioAdditions()
    additions.quiet = DurationText.write(Self.quiet)
    if let name = file.scenario.faults.first(where: { $0.hasPrefix(Perturbation.namePrefix) }) {
      throw InputProblem(
        file.scenario.file,
        "a hunt names its own faults \(Perturbation.faultName(0)) and so on; call \(name) something else.")
    }
    self.file = try file.with(additions)
    let added = DurationText.write(self.file.scenario.length - file.scenario.length)
    addition = added == "0s" ? "" : " with \(added) of quiet time added at its end (quiet:)"
    // The step that deletes all faults is the last one.
    length = self.file.scenario.steps.last?.first ?? self.file.scenario.length
  }

  /// The story, or a part of it, with perturbations.
  ///
  /// - Parameter expect: takes the place of the story's expectations; nil to keep them.
  func with(
    _ perturbations: [Perturbation], _ cut: StoryCut, seed: UInt64, expect: [JSONValue]? = nil
  ) throws(InputProblem) -> ScenarioFile {
    guard !perturbations.isEmpty || !cut.isWhole else { return file.seeded(seed) }
    var additions = additions(perturbations, cut)
    additions.expect = expect
    return try file.with(additions).seeded(seed)
  }

  /// The text of a scenario file in another folder, with perturbations.
  func text(
    _ perturbations: [Perturbation], _ cut: StoryCut, seed: UInt64, finding: Finding
  ) throws(InputProblem) -> String {
    var additions = additions(perturbations, cut)
    (additions.name, additions.expect) = (finding.name, finding.expect)
    let (story, folder) = (RelativePath.folder(of: file.scenario.file), finding.folder)
    additions.path = { RelativePath.of($0, in: story, from: folder) }
    return try file.text(with: additions, seed: seed)
  }

  /// The changes that make a scenario of a find.
  struct Finding {
    let name: String
    /// Takes the place of the story's expectations, so that it fails as the find does; nil to keep them.
    let expect: [JSONValue]?
    /// The folder of its file.
    let folder: String
  }

  private func additions(_ perturbations: [Perturbation], _ cut: StoryCut) -> ScenarioAdditions {
    var additions = ScenarioAdditions()
    additions.length = cut.length.map(DurationText.write)
    additions.settings = cut.phones.map { [.init("fleet.devices", .integer(Int64($0)))] } ?? []
    for (index, perturbation) in perturbations.enumerated() {
      switch perturbation.place {
      case .faults: additions.faults += perturbation.faults(at: index)
      case .steps: additions.steps.append(perturbation.entries)
      case .settings: additions.settings += perturbation.entries.flatMap { $0.members ?? [] }
      }
    }
    return additions
  }
}
