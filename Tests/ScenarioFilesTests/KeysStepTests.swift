import Grammar
import ScenarioFiles
import Scenarios
import Simulation
import Testing

@Suite("Provider keys that a scenario revokes and adds")
struct KeysStepTests {
  private static let push = "push: {payload: {aps: {alert: A}}}"

  private func play(_ steps: String, _ expect: String) throws -> ScenarioReport {
    let text = "settings: {fleet: {devices: 1, ideal: true}}\nsteps: [\(steps)]\nexpect: [\(expect)]"
    return ScenarioPlayer.play(try ScenarioFile.parse(text, named: "s.yaml").scenario)
  }

  @Test("a push with a revoked key returns 403, and one with a key that is valid again returns 200")
  func revoked() throws {
    let report = try play(
      "{name: before, \(Self.push)}, {after: 1m, keys: {revoke: all}}, {name: without, after: 1m, \(Self.push)},"
        + " {after: 1m, keys: {add: all}}, {name: again, after: 1m, \(Self.push)}",
      "{pushes: {step: before}, all: {status: 200}}, {pushes: {step: without}, all: {reason: InvalidProviderToken}},"
        + " {pushes: {step: again}, all: {status: 200}}")
    #expect(report.passed, "\(report.text)")
  }

  @Test("a step that changes no key fails, with its place")
  func nothing() throws {
    let report = try play("{keys: {add: all}}", "{events: {}, count: 0..}")
    #expect(!report.passed && report.text.contains("s.yaml:2:9 at 0s: nothing was done: every key is valid."))
    let twice = try play("{keys: {revoke: all}}, {keys: {revoke: all}}", "{events: {}, count: 0..}")
    #expect(!twice.passed && twice.text.contains("nothing was done: no key is valid."), "\(twice.text)")
  }

  @Test("a key that a step adds is revoked at the beginning, unless it was revoked before")
  func late() throws {
    func first(_ steps: String) throws -> [String] {
      let text =
        "settings: {keys: [{keyId: NEW, generate: true}]}\nsteps: [\(steps)]\nexpect: [{events: {}, count: 0..}]"
      return try ScenarioFile.parse(text, named: "s.yaml").scenario.steps.map(\.words)
    }
    #expect(
      try first("{at: 1m, keys: {add: NEW}}") == ["the key NEW is not valid yet", "the key NEW is valid from now on"])
    #expect(
      try first("{at: 1m, keys: {revoke: NEW}}, {at: 2m, keys: {add: NEW}}") == [
        "the key NEW is revoked", "the key NEW is valid from now on",
      ])
  }
}
