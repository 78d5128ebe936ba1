import ScenarioFiles
import Scenarios
import Simulation
import Testing

@Suite("Verdicts about findings")
struct FindingVerdictTests {
  private func play(_ steps: String, _ expectation: String) throws -> ScenarioReport {
    let text = "settings: {fleet: {devices: 2, ideal: true}}\nsteps: [\(steps)]\nexpect:\n  - " + expectation
    return ScenarioPlayer.play(try ScenarioFile.parse(text, named: "s.yaml").scenario)
  }

  private static let push = "{push: {payload: {aps: {alert: Same}}}}"

  @Test("a careful run has no findings")
  func none() throws {
    for expectation in ["{findings: {}, none: true}", "{findings: {kind: duplicate}, none: true}"] {
      let report = try play(Self.push, expectation)
      #expect(report.passed, "\(report.text)")
    }
  }

  @Test(
    "findings are counted by kind and by time",
    arguments: [
      ("{findings: {}, none: true}", false), ("{findings: {kind: duplicate}, count: 2}", true),
      ("{findings: {kind: deadToken}, none: true}", true), ("{findings: {kind: deadToken}, count: 1..}", false),
      ("{at: 0s, findings: {}, count: 2}", true),
    ])
  func found(expectation: String, holds: Bool) throws {
    let report = try play(Self.push + ", " + Self.push, expectation)
    #expect(report.verdicts.count == 1 && report.passed == holds, "\(report.text)")
  }

  @Test("a failure has the sentences of the findings")
  func sentences() throws {
    let text = try play(Self.push + ", " + Self.push, "{findings: {}, none: true}").text
    #expect(text.contains("wanted   no findings"), "\(text)")
    #expect(text.contains("findings duplicate to d0 at 0s (apns-id "), "\(text)")
    #expect(text.contains("The phone received a payload again with another apns-id"), "\(text)")
    let nothing = try play(Self.push, "{findings: {kind: duplicate}, count: 1}").text
    #expect(nothing.contains("the auditor found nothing of the kind duplicate by then"), "\(nothing)")
  }
}
