import ScenarioFiles
import Testing
import Timeline

@testable import Scenarios
@testable import Simulation

@Suite("The connections of a scenario's provider")
struct SimulatedConnectionTests {
  private static func story(faults: String) -> String {
    """
    name: connections
    for: 10m
    settings: {fleet: {devices: 20, ideal: true, os: {"26.1": 1}}, prompt: {policy: never}, timing: {immediate: true}}
    faults:
      - \(faults)
    steps:
      - {name: one, after: 10s, push: {payload: {aps: {alert: one}}}}
      - {name: two, after: 1m, push: {payload: {aps: {alert: two}}}}
    expect:
      - {pushes: {step: one}, count: 20}
      - {pushes: {step: two}, count: 20}

    """
  }

  @Test(
    "after a GOAWAY, the provider sends on another connection",
    arguments: ["goAway: NO_ERROR", "goAway: NO_ERROR, before: 2", "goAway: NO_ERROR, last: true"])
  func goAway(_ consequence: String) throws {
    let fault = "{name: away, when: {skip: 4, every: 7}, then: {\(consequence)}}"
    let scenario = try ScenarioFile.parse(Self.story(faults: fault), named: "s.yaml").scenario
    let report = ScenarioPlayer.play(scenario)
    #expect(report.passed, "\(report.text)")
  }

  @Test("the connections of a scenario are closed with the scenario, and those of the next have other numbers")
  func closed() throws {
    let fault = "{name: away, limit: 1, when: {skip: 4}, then: {goAway: NO_ERROR}}"
    let scenario = try ScenarioFile.parse(Self.story(faults: fault), named: "s.yaml").scenario
    var simulator = ScenarioPlayer.simulator(scenario)
    simulator.readers.logs.observer = nil
    let wall = scenario.begins
    var opened: [UInt64] = []
    for _ in 0..<3 {
      let director = ScenarioDirector(scenario, pace: .live, provider: VirtualProvider(scenario.plan) { _, _ in nil })
      _ = try simulator.openScenario(director, ScenarioDirector.observer(scenario), wall: wall)
      try simulator.beginScenario(at: nil, wall: wall)
      while !simulator.moveScenario(to: scenario.length, wall: wall, show: { _ in }) {}
      opened += simulator.world.openConnections.map(\.id.number)
      _ = simulator.endScenario(wall: wall)
      #expect(simulator.world.openConnections.isEmpty)
    }
    #expect(opened.count >= 3 && Set(opened).count == opened.count)
  }
}
