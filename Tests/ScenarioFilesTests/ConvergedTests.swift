import APNs
import Devices
import Reporting
import ScenarioFiles
import Scenarios
import Simulation
import Testing

@Suite("The convergence of phones and backends")
struct ConvergedTests {
  private static let fleet = """
    for: 2m
    settings:
      fleet: {devices: 3, ideal: true, os: {"26.1": 1}}
      prompt: {policy: never}
      timing: {immediate: true}
    steps:
      - name: start
        push:
          tokenKind: pushToStart
          payload:
            aps:
              timestamp: "{{time.unix}}"
              event: start
              attributes-type: MatchAttributes
              attributes: {}
              content-state: {score: 0}
              alert: {title: Go}

    """

  private static func push(_ name: String, _ at: String, _ event: String, _ score: Int, _ more: String = "") -> String {
    """
      - name: \(name)
        at: \(at)
        push:
          tokenKind: update\(more)
          payload: {aps: {timestamp: "{{time.unix}}", event: \(event), content-state: {score: \(score)}}}

    """
  }

  private func play(_ steps: String, head: String = "", expect: String = "{converged: {}}") throws -> ScenarioReport {
    ScenarioPlayer.play(
      try ScenarioFile.parse(head + Self.fleet + steps + "expect:\n  - " + expect, named: "s.yaml").scenario)
  }

  @Test(
    "convergence goes by the last accepted push, with the same timestamp, an older one or none",
    arguments: ["timestamp: \"{{time.unix}}\", ", "timestamp: 1, ", ""], ["update", "end"])
  func timestamps(timestamp: String, event: String) throws {
    // At the second of the start, so that the time of both is one.
    let step = """
        - name: same
          at: 500ms
          push:
            tokenKind: update
            payload: {aps: {\(timestamp)event: \(event), content-state: {score: 7}}}

      """
    let report = try play(step)
    #expect(!report.passed && report.text.contains("found    0 of 3"), "\(report.text)")
    let words =
      event == "end"
      ? "the card is active, but the backend believes that it has ended"
      : #"the card (active) shows {"score":0}, but the backend believes {"score":7}"#
    #expect(report.text.contains(words), "\(report.text)")
    let mended = try play(step + Self.push("newer", "30s", event, 7))
    #expect(mended.passed, "\(mended.text)")
  }

  @Test("convergence is true of cards that show the last accepted push, and of ended ones")
  func cards() throws {
    for steps in [
      "", Self.push("one", "30s", "update", 1),
      Self.push("one", "30s", "update", 1) + Self.push("two", "60s", "update", 2, "\n      device: d1"),
      Self.push("one", "30s", "update", 1) + Self.push("end", "60s", "end", 2),
    ] {
      let report = try play(steps)
      #expect(report.passed, "\(report.text)")
    }
  }

  @Test("convergence is false where an accepted update is lost: the card, the belief, the push and its fate are named")
  func lost() throws {
    let fault = "  - {at: 20s, fault: {name: lossy, when: {devices: [d1]}, then: {lose: true}}}\n"
    let report = try play(fault + Self.push("one", "30s", "update", 1))
    #expect(!report.passed)
    #expect(report.text.contains("found    2 of 3"), "\(report.text)")
    let words = #"d1, activity 0 of com.example.app: the card (active) shows {"score":0}, but the backend believes"#
    #expect(report.text.contains(words + #" {"score":1} (push 5)"#), "\(report.text)")
    #expect(report.text.contains("push 5 to d1 (update token) at 30s: 200, Discarded - Fault"), "\(report.text)")
  }

  @Test("convergence is false where an end was accepted and the card remains; a refused end does not count")
  func end() throws {
    let lost = "  - {at: 20s, fault: {name: lossy, when: {devices: [d2]}, then: {lose: true}}}\n"
    let report = try play(lost + Self.push("end", "30s", "end", 1))
    #expect(!report.passed && report.text.contains("the card is active, but the backend believes that it has ended"))
    let refused = "  - {at: 20s, fault: {name: down, then: {answer: ServiceUnavailable}}}\n"
    let sound = try play(refused + Self.push("end", "30s", "end", 1))
    #expect(sound.passed, "\(sound.text)")
  }

  @Test("convergence ignores what the provider never learned: a lost answer does not count")
  func unheard() throws {
    let lost = "  - {at: 20s, fault: {name: mute, then: {silence: true}}}\n"
    let report = try play(lost + Self.push("one", "30s", "update", 1))
    #expect(report.passed, "\(report.text)")
  }

  @Test("convergence fails where nothing was tested, and devices that are not named do not count")
  func nothing() throws {
    let report = try play("", expect: "{converged: {app: com.example.store}}")
    #expect(!report.passed && report.text.contains("so nothing was tested"), "\(report.text)")
    let one = try play(
      "  - {at: 20s, fault: {name: lossy, when: {devices: [d1]}, then: {lose: true}}}\n"
        + Self.push("one", "30s", "update", 1), expect: "{converged: {devices: [d0, d2]}}")
    #expect(one.passed, "\(one.text)")
  }

  @Test("the quiet period removes all faults, and releases what was held")
  func quiet() throws {
    let tunnel = "  - {at: 20s, fault: {name: tunnel, when: {devices: [d1]}, then: {devices: {do: goOffline}}}}\n"
    let story = tunnel + Self.push("one", "30s", "update", 1)
    #expect(try !play(story).passed)
    let report = try play(story, head: "quiet: 1m\n")
    #expect(report.passed && report.text.contains("3m)"), "\(report.text)")
    let late = try play(story, head: "quiet: 1m\n", expect: "{at: 150s, converged: {}}")
    #expect(late.passed, "\(late.text)")
  }

  // MARK: - Tokens

  private static let reporting = """
    for: 2m
    settings:
      fleet: {devices: 2, ideal: true, os: {"26.1": 1}, apps: [{profile: sightscreen}]}
      reports: {backend: "http://127.0.0.1:9"}
      timing: {immediate: true}
    steps:
      - {do: terminate, where: {}}
      - {do: open, where: {}}
      - {at: 1m, push: {payload: {aps: {alert: Hello}}}}

    """

  private static let expectation = "expect: [{converged: {}}]"

  @Test("convergence is true of reported tokens, and of a reported rotation")
  func tokens() throws {
    for steps in ["", "  - {at: 70s, do: rotate, kind: device, device: d0}\n"] {
      let report = try Rehearsal.play(Self.reporting + steps + Self.expectation)
      #expect(report.passed, "\(report.text)")
    }
  }

  @Test("convergence is false where the backend has no token, or one that the phone no longer has")
  func stale() throws {
    let refused = try Rehearsal.play(Self.reporting + Self.expectation) { call in
      .answered(status: call.device.number == 1 && call.call.event == "deviceToken" ? 500 : 200, body: nil)
    }
    #expect(!refused.passed)
    #expect(
      refused.text.contains("d1, device token of com.sightscreen.app: the phone has ")
        && refused.text.contains("…, but the backend has accepted none"), "\(refused.text)")
    #expect(refused.text.contains("calls    call ") && refused.text.contains("answered 500"), "\(refused.text)")
    let silent = try Rehearsal.play(
      Self.reporting + "  - {at: 70s, do: terminate, device: d0}\n"
        + "  - {at: 80s, do: rotate, kind: device, device: d0}\n" + Self.expectation)
    #expect(!silent.passed && silent.text.contains("but the backend last accepted "), "\(silent.text)")
  }
}
