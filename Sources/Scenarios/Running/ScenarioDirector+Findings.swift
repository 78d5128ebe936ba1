import Simulation
import Timeline

/// Findings of a run about the scenario's own steps and faults.
extension ScenarioDirector {
  /// - Parameters:
  ///   - ofAll: whether it means nothing unless the other cells of the fleet find the same.
  ///   - hidesInCell: whether the report of a single cell leaves it out then.
  ///   - counts: whether the sentence counts devices.
  mutating func find(
    _ step: Scenario.Step, _ sentence: String, isFailure: Bool, ofAll: Bool = false, hidesInCell: Bool = true,
    counts: Bool = false
  ) {
    let isPart = ofAll && scenario.plan.cell != nil
    findings.append(
      .init(
        place: step.place, at: passed, sentence: sentence, isFailure: isFailure, needsAllCells: isPart,
        isHidden: isPart && hidesInCell, hasCount: counts))
  }

  /// A revocation that nobody can have met, because no connection presented a certificate.
  func idleRevocation(_ world: borrowing World) -> ScenarioReport.Finding? {
    guard !world.hasMetCertificates else { return nil }
    return scenario.steps.first { step in
      (step.action as? CertificatesStep).map { !$0.adds } ?? false && step.first <= passed
    }
    .map { step in
      .init(
        place: step.place, at: step.first,
        sentence: "nothing was revoked: no connection presented a certificate, so the backend may push with a key.",
        isFailure: false)
    }
  }

  /// Faults that never struck: a passing scenario has not tested what they are about.
  func idleFaults(_ service: FaultRegistry) -> [ScenarioReport.Finding] {
    var told = struck
    return scenario.steps.compactMap { step in
      guard let fault = step.fault, step.first <= passed,
        !(service[fault.name].map(\.isUsed) ?? false),
        told.insert(fault.name).inserted
      else { return nil }
      let seen = service[fault.name]?.seen ?? 0
      let why =
        seen == 0
        ? "nothing met its condition while it was in force"
        : "it was matched \(seen) times but did not strike"
      return .init(
        place: step.place, at: step.first, sentence: "the fault \(fault.name) never struck: \(why).", isFailure: false,
        needsAllCells: scenario.plan.cell != nil, hasCount: seen > 0)
    }
  }
}
