import Grammar
import ScenarioFiles
import Scenarios
import Simulation
import Testing

@Suite("Broadcasts in a scenario")
struct BroadcastStepTests {
  private static func settings(_ more: String = "") -> String {
    "settings: {fleet: {devices: 3, ideal: true, os: {\"26.1\": 1}}, prompt: {policy: never},"
      + " timing: {immediate: true}\(more)}\n"
  }

  private static let start = """
      - push:
          tokenKind: pushToStart
          payload:
            aps:
              timestamp: "{{time.unix}}"
              event: start
              attributes-type: MatchAttributes
              attributes: {}
              content-state: {score: 0}
              input-push-channel: "{{channel.match}}"
              alert: {title: Go}

    """

  private static let goal = """
      - name: goal
        after: 1m
        broadcast:
          channel: match
          payload: {aps: {timestamp: "{{time.unix}}", event: update, content-state: {score: 1}}}

    """

  private func play(_ steps: String, _ expectations: String..., settings: String = settings()) throws -> ScenarioReport
  {
    let expect = expectations.map { "  - {\($0)}\n" }.joined()
    let scenario = try ScenarioFile.parse("\(settings)steps:\n\(steps)expect:\n\(expect)", named: "s.yaml").scenario
    return ScenarioPlayer.play(scenario)
  }

  @Test("broadcasts reach every phone with an activity on the channel, whoever has started it")
  func arrive() throws {
    let local =
      "  - {do: open, app: com.example.app, device: d0}\n"
      + "  - {do: startActivity, app: com.example.app, contentState: {score: 0}, channel: \"{{channel.match}}\","
      + " device: d0}\n"
    let report = try play(
      "  - createChannel: {name: match}\n" + Self.start + local + Self.goal,
      "broadcasts: {step: goal}, all: {status: 200}", "broadcasts: {}, count: 1",
      "broadcasts: {operation: create}, all: {status: 201}", "arrivals: {step: goal}, count: 4",
      "arrivals: {channel: match, device: d0}, count: 2", "arrivals: {}, all: {outcome: updated}",
      "arrivals: {}, none: {fate: Stored - Device Offline}", "converged: {}",
      "screens: {}, show: {card: {contentState: {score: 1}}}")
    #expect(report.passed, "\(report.text)")
    #expect(report.findings.isEmpty, "\(report.text)")
  }

  @Test(
    "broadcasts are lost on an offline phone without storage, and come later with it",
    arguments: ["none", "mostRecent"])
  func offline(storage: String) throws {
    let isStored = storage == "mostRecent"
    let goal = Self.goal.replacing(
      "payload:", with: "expiration: \(isStored ? "\"{{time.unix + 1h}}\"" : "0")\n      payload:")
    let report = try play(
      "  - createChannel: {name: match, storage: \(storage)}\n" + Self.start + "  - {do: goOffline, device: d1}\n"
        + goal
        + "  - {after: 1m, do: goOnline, device: d1}\n",
      "arrivals: {}, count: 3",
      "arrivals: {device: d1}, all: {fate: \(isStored ? "Delivered to Device (From Storage)" : "Discarded - Not Stored")}",
      isStored
        ? "arrivals: {}, sometimes: {fate: Stored - Device Offline}"
        : "arrivals: {}, none: {fate: Delivered to Device (From Storage)}")
    #expect(report.passed, "\(report.text)")
  }

  @Test("an unexpected broadcast fails the run: the report names it, and how the nearest differs")
  func fails() throws {
    let report = try play(
      "  - createChannel: {name: match}\n" + Self.start + Self.goal,
      "name: nobody hears, arrivals: {step: goal}, none: {outcome: updated}",
      "name: refused, broadcasts: {step: goal}, all: {reason: ChannelNotRegistered}",
      "name: many, broadcasts: {}, count: 2..")
    #expect(report.verdicts.map(\.passed) == [false, false, false])
    let first = try #require(report.verdicts.first)
    #expect(first.found == "3 of 3")
    #expect(
      first.pushes.first?.hasPrefix("broadcast 2 of channel match at 1m, on d0: Delivered to Device, updated") == true)
    #expect(report.verdicts[1].nearest?.hasSuffix("200; reason is none, not ChannelNotRegistered") == true)
    #expect(report.verdicts[2].wanted.hasSuffix("broadcasts") && report.verdicts[2].found == "1")
  }

  @Test("broadcasts to a channel that was not created are not sent, and the report notes it")
  func refused() throws {
    let report = try play(
      "  - createChannel: {name: match}\n" + Self.goal,
      "broadcasts: {operation: create}, all: {reason: BroadcastFeatureNotEnabled}", "broadcasts: {}, count: 0",
      "broadcasts: {}, none: true", settings: Self.settings(", rules: {broadcastDisabled: com.example.app}"))
    #expect(report.passed, "\(report.text)")
    #expect(
      report.findings.map(\.sentence) == [
        "the channel match was not created (400 BroadcastFeatureNotEnabled).",
        "it sent nothing: there is no channel match, because it was not created.",
      ])
  }

  @Test("broadcasts to a deleted channel are rejected, and the channel cannot be deleted twice")
  func deleted() throws {
    let report = try play(
      "  - createChannel: {name: match, environment: production}\n  - deleteChannel: match\n" + Self.goal
        + "  - deleteChannel: match\n",
      "broadcasts: {step: goal, environment: production}, all: {reason: ChannelNotRegistered}",
      "broadcasts: {operation: delete}, count: 2", "broadcasts: {operation: delete, status: 404}, count: 1",
      "arrivals: {}, none: true")
    #expect(report.passed, "\(report.text)")
    #expect(report.findings.map(\.sentence) == ["the channel match was not deleted: BadPath."])
  }

  @Test(
    "broadcasts that can never be sent or evaluated are rejected with their place",
    arguments: [
      ("createChannel: {}", "broadcasts: {}, count: 1", "createChannel needs a name"),
      ("createChannel: {name: a b}", "broadcasts: {}, count: 1", "createChannel needs a name"),
      ("createChannel: {name: match, storage: all}", "broadcasts: {}, count: 1", "storage"),
      ("deleteChannel: match", "broadcasts: {}, count: 1", "this scenario creates no channel match; createChannel"),
      ("broadcast: {channel: match, payload: {aps: {}}}", "pushes: {}, count: 0", "creates no channel match"),
      ("broadcast: {payload: {aps: {}}}", "broadcasts: {}, count: 1", "broadcast needs a channel"),
      ("broadcast: {channel: match}", "broadcasts: {}, count: 1", "broadcast needs a payload"),
      ("push: {payload: {aps: {alert: \"{{channel.match}}\"}}}", "pushes: {}, count: 3", "creates no channel match"),
      ("push: {payload: {aps: {alert: A}}}", "broadcasts: {}, count: 0", "no step of this scenario creates a channel"),
      ("createChannel: {name: match}", "broadcasts: {channel: mtach}, count: 1", "did you mean match?"),
      ("createChannel: {name: match}", "broadcasts: {step: goal}, count: 1", "no step is called goal"),
      ("createChannel: {name: match}", "broadcasts: {device: d0}, count: 1", "device"),
      ("createChannel: {name: match}", "arrivals: {status: 200}, count: 1", "status"),
      (
        "createChannel: {name: match}", "broadcasts: {status: 200, reason: BadChannelId}, count: 0",
        "this contradicts itself: BadChannelId has status 400, not 200"
      ),
      ("createChannel: {name: match}", "arrivals: {}, all: {}", "all must say what these arrivals have"),
    ])
  func bad(step: String, expectation: String, sentence: String) {
    let problem = #expect(throws: InputProblem.self) { try play("  - {\(step)}\n", expectation) }
    #expect(problem?.sentence.contains(sentence) == true, "\(problem.map { "\($0)" } ?? "")")
    #expect(problem?.place.hasPrefix("s.yaml:") == true)
  }

  @Test("broadcasts are sent to one channel by each name")
  func twice() {
    let problem = #expect(throws: InputProblem.self) {
      try play("  - createChannel: {name: match}\n  - createChannel: {name: match}\n", "broadcasts: {}, count: 0")
    }
    #expect(problem?.sentence == "there is already a channel match; names must be unique.")
  }
}
