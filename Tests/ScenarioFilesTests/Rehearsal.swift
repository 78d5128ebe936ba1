import Reporting
import ScenarioFiles
import Timeline

@testable import Scenarios
@testable import Simulation

/// Plays a scenario whose apps report, with a backend that answers as a test says.
enum Rehearsal {
  static func play(
    _ text: String, _ answer: (CallRecord) -> CallOutcome? = { _ in .answered(status: 200, body: nil) },
    seen: (WorldEvent) -> Void = { _ in }
  ) throws -> ScenarioReport {
    let scenario = try ScenarioFile.parse(text, named: "a story.yaml").scenario
    var simulator = ScenarioPlayer.simulator(scenario)
    var director = ScenarioDirector(scenario, pace: .virtual, provider: VirtualProvider(scenario.plan))
    var passed = Duration.zero
    while passed < scenario.length {
      // Second by second, so that answers come while the phone waits for them.
      passed = min(passed + .seconds(1), scenario.length)
      var calls: [CallRecord] = []
      director.move(to: passed, &simulator, wall: scenario.begins) { events in
        for event in events {
          seen(event)
          if case .call(let call) = event { calls.append(call) }
        }
      }
      let instant = scenario.begins.advanced(by: passed)
      for call in calls {
        guard let outcome = answer(call) else { continue }
        try simulator.world.perform(.answer(call.number, outcome), at: Now(world: instant, wall: instant))
      }
    }
    return director.report(simulator)
  }
}
