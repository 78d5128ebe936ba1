import ScenarioFiles
import Scenarios
import Simulation
import Testing

@Suite("Tokens that a scenario registers")
struct RegisterStepTests {
  private func play(_ steps: String) throws -> ScenarioReport {
    let text =
      "settings: {fleet: {devices: 2, ideal: true}}\nsteps:\n\(steps)expect: [{pushes: {status: 200}, count: 2}]"
    return ScenarioPlayer.play(try ScenarioFile.parse(text, named: "s.yaml").scenario)
  }

  private static let push = "  - {push: {payload: {aps: {alert: A}}}}\n"

  @Test("a registered token is valid from its step on; an invalid one is rejected with the place of its step")
  func register() throws {
    let token = String(repeating: "ab", count: 32)
    let step = "  - {register: {token: \(token), kind: device, device: d0, app: com.example.app}}\n"
    let report = try play(step + Self.push)
    #expect(report.passed, "\(report.text)")
    let twice = try play(step + step.replacing("d0", with: "d1") + Self.push)
    #expect(!twice.passed && twice.text.contains("s.yaml:4:5 at 0s: "), "\(twice.text)")
  }
}
