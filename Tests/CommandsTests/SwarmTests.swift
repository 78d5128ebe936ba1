import ScenarioFiles
import Scenarios
import Simulation
import Testing

@testable import RunCommands

@Suite("A scenario that is played with many seeds")
struct SwarmTests {
  @Test("a swarm sees what is seen with one seed, and names a seed that fails")
  func swarm() throws {
    let story = """
      settings: {fleet: {devices: 1, ideal: true, mix: {offline: 50%}}}
      steps: [{push: {payload: {aps: {alert: A}}}}]
      expect:

      """
    let seen = try ScenarioFile.parse(
      story + "  - {pushes: {}, sometimes: {fate: Stored - Device Offline}}", named: "s")
    var simulator = ScenarioRuns(.simulated)
    #expect(try simulator.play(seen, swarm: 20) == "PASS  s: all 20 seeds")
    let never = try ScenarioFile.parse(story + "  - {pushes: {}, none: {fate: Stored - Device Offline}}", named: "s")
    let text = try simulator.play(never, swarm: 20)
    #expect(!simulator.passed && text.contains(" of 20 seeds: "), "\(text)")
    let failing = try #require(text.split(separator: " ").last.flatMap { UInt64($0) })
    #expect(!ScenarioPlayer.play(never.scenario.seeded(failing)).passed)
    let unseen = try ScenarioFile.parse(story + "  - {pushes: {}, sometimes: {status: 410}}", named: "s")
    #expect(try simulator.play(unseen, swarm: 3).contains("3 of 3 seeds"))
  }

  @Test("a scenario of many devices has the same reports with several threads, whether it passes or fails")
  func threads() throws {
    let story = """
      settings: {fleet: {devices: 600, mix: {offline: 20%}}}
      steps: [{push: {payload: {aps: {alert: A}}}}]
      expect: [{pushes: {fate: Stored - Device Offline}, count: 100..130}]
      """
    let file = try ScenarioFile.parse(story, named: "s")
    var one = ScenarioRuns(.simulated)
    var three = ScenarioRuns(.simulated, progress: ProgressReporter(first: .zero, every: .zero) { _ in })
    three.threads = 3
    #expect(try one.play(file, swarm: 20) == three.play(file, swarm: 20))
    #expect(one.json == three.json && one.json.contains("true") && one.json.contains("false"))
  }

  @Test("a scenario of more devices has the report of one world, from more parts than threads", arguments: [1, 2, 7])
  func parts(threads: Int) throws {
    let story = """
      settings: {fleet: {devices: 2100, mix: {offline: 20%}}}
      steps: [{every: 1m, until: 10m, push: {payload: {aps: {alert: A}}}}]
      expect: [{pushes: {fate: Stored - Device Offline}, count: 300..}]
      """
    let file = try ScenarioFile.parse(story, named: "s")
    #expect(DividedScenario.parts(file.scenario, threads: threads) == max(5, threads))
    var runs = ScenarioRuns(.simulated)
    runs.threads = threads
    let whole = ScenarioPlayer.play(file.scenario)
    #expect(try runs.play(file) == whole.text && whole.passed, "\(whole.text)")
    let divided = try #require(DividedScenario(file.scenario, parts: 5))
    // Of all parts together: it never goes back.
    var heard: [Duration] = []
    _ = DividedRun(divided, threads: threads).play { heard.append($0.passed) }
    #expect(heard == heard.sorted() && (heard.last ?? .zero) > .zero && (heard.last ?? .zero) <= file.scenario.length)
  }
}
