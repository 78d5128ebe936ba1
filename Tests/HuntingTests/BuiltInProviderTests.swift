import ScenarioFiles
import Scenarios
import Testing
import Timeline

@testable import Hunting

/// The provider of stories without a backend. It has to be right, or hunts with them would accuse Pushpit itself.
@Suite("The built-in provider in hunts")
struct BuiltInProviderTests {
  private static let match = """
        - push:
            tokenKind: pushToStart
            payload:
              aps: {timestamp: "{{time.unix}}", event: start, attributes-type: MatchAttributes,
                attributes: {home: Lions}, content-state: {score: 0}, alert: {title: Kick-off, body: Now}}
        - at: 5m
          every: 30s
          times: 40
          push: {tokenKind: update, payload: {aps: {timestamp: "{{time.unix}}", event: update,
            content-state: {score: "{{n}}"}}}}
        - at: 30m
          push: {tokenKind: update, payload: {aps: {timestamp: "{{time.unix}}", event: end,
            content-state: {score: 99}}}}
    """

  private func witness(_ fault: String? = nil, steps: String = match) throws -> Witness {
    let text = """
      for: 45m
      settings:
        fleet: {devices: 4, ideal: true, os: {"26.1": 1}}
        prompt: {policy: never}
        timing: {immediate: true}
      \(fault.map { "faults: [{name: hunt 1, \($0)}]" } ?? "")
      steps:
      \(steps)
      expect: [{pushes: {}, count: 1..}]

      """
    let scenario = try ScenarioFile.parse(text, named: "story.yaml").scenario
    let (_, simulator, struck) = try #require(ScenarioPlayer.watched(scenario, resending: Resender()))
    return Witness(simulator, scenario, ended: nil, struck: struck)
  }

  @Test(
    "it is right about starts, updates and ends that fail once or for minutes",
    arguments: [
      "when: {event: start}, limit: 2, then: {loseAnswer: CANCEL}",
      "when: {event: start}, limit: 2, then: {reset: CANCEL}",
      "when: {event: start}, limit: 3, then: {answer: TooManyRequests}",
      "when: {event: end}, limit: 3, then: {silence: true}",
      "when: {event: end}, limit: 9, then: {answer: TooManyRequests}",
      "from: 5m, for: 28m, then: {answer: ExpiredProviderToken}",
    ])
  func isRight(fault: String) throws {
    let variant = try witness(fault)
    #expect(!variant.struckFaults.isEmpty)
    #expect(Oracles.judge(variant, plain: try witness()).map(\.sentence) == [])
  }

  @Test("an alert that the story itself repeats may be sent again when its answer was lost")
  func repeats() throws {
    let steps = "  - {at: 1m, every: 2m, times: 5, push: {payload: {aps: {alert: Goal}}}}"
    let variant = try witness("when: {skip: 9}, limit: 1, then: {loseAnswer: CANCEL}", steps: steps)
    let plain = try witness(steps: steps)
    #expect(variant.pushes.count == plain.pushes.count + 1)
    #expect(AlertTwice.judge(variant, plain: plain).map(\.sentence) == [])
  }
}
