import ScenarioFiles
import Scenarios
import Testing
import Timeline

@testable import Hunting

@Suite("Broadcasts in hunts")
struct BroadcastTests {
  private func witness(
    _ fault: String? = nil, last: String = "", bug: Resender.Bug? = .forgetsBroadcasts
  ) throws -> Witness {
    func broadcast(_ time: String, _ score: Int) -> String {
      """
        - at: \(time)
          broadcast:
            channel: match
            payload: {aps: {timestamp: "{{time.unix}}", event: update, content-state: {score: \(score)}}}

      """
    }
    let text =
      """
      for: 20m
      settings:
        fleet: {devices: 4, ideal: true, os: {"26.1": 1}}
        prompt: {policy: never}
        timing: {immediate: true}
      \(fault.map { "faults:\n  - {name: hunt 1, \($0)}" } ?? "")
      steps:
        - createChannel: {name: match, storage: mostRecent}
        - at: 10s
          push:
            tokenKind: pushToStart
            payload:
              aps:
                timestamp: "{{time.unix}}"
                event: start
                attributes-type: MatchAttributes
                attributes: {home: Lions}
                content-state: {score: 0}
                input-push-channel: "{{channel.match}}"
                alert: {title: Kick-off, body: Now}

      """ + broadcast("5m", 1) + broadcast("10m", 2) + last
      + "expect: [{pushes: {}, all: {status: 200}}]\n"
    let scenario = try ScenarioFile.parse(text, named: "story.yaml").scenario
    let (report, simulator, struck) = try #require(
      ScenarioPlayer.watched(scenario, resending: Resender(bug)))
    #expect(report.passed)
    return Witness(simulator, scenario, ended: nil, struck: struck)
  }

  @Test("a broadcast that a busy channel refuses and that is never sent again is told")
  func refused() throws {
    let variant = try witness("when: {event: update, skip: 1}, then: {answer: TooManyRequests}")
    let failures = Oracles.judge(variant, plain: try witness())
    #expect(failures.map(\.group) == [.init("lastStateLost", "a broadcast that was answered 429 is never sent again")])
    #expect(failures[0].sentence.hasPrefix("4 of 4 cards stay behind: "), "\(failures[0].sentence)")
    #expect(failures[0].sentence.hasSuffix("; the card shows score 1, not 2)"), "\(failures[0].sentence)")
  }

  @Test("a broadcast that is refused is not missed if a later one brings as much")
  func later() throws {
    let last = """
        - at: 12m
          broadcast:
            channel: match
            payload: {aps: {timestamp: "{{time.unix}}", event: update, content-state: {score: 2}}}

      """
    let variant = try witness("when: {event: update, skip: 1}, limit: 1, then: {answer: TooManyRequests}", last: last)
    #expect(Oracles.judge(variant, plain: try witness(last: last)) == [])
  }

  @Test(
    "a provider that sends a refused or unanswered broadcast again is not accused", arguments: ["TooManyRequests", nil])
  func sentAgain(reason: String?) throws {
    let then = reason.map { "answer: \($0)" } ?? "loseAnswer: CANCEL"
    let fault = "when: {event: update, skip: 1}, limit: 2, then: {\(then)}"
    let (plain, right) = (try witness(bug: nil), try witness(fault, bug: nil))
    #expect(Oracles.judge(right, plain: plain) == [])
    #expect(!right.struckFaults.isEmpty)
    #expect(Oracles.judge(try witness(fault), plain: plain).isEmpty == (reason == nil), "it was taken, or not")
  }

  @Test("the ground of a story with a channel has broadcasts")
  func ground() throws {
    let witness = try witness()
    #expect(witness.ground(door: .scenario, length: .seconds(1200)).hasBroadcasts)
    #expect(witness.features.contains("broadcast publish: 200"), "\(witness.features)")
  }
}
