import ScenarioFiles
import Scenarios
import Simulation
import Testing
import WireFormats

@Suite("Verdicts of scenarios")
struct PushVerdictTests {
  private func play(_ text: String) throws -> ScenarioReport {
    ScenarioPlayer.play(try ScenarioFile.parse(text, named: "a story.yaml").scenario)
  }

  private static let fleet = "seed: 9\nfor: 3h\nsettings: {fleet: {devices: 4, ideal: true}}\n"
  private static let story =
    fleet + """
      steps:
        - {do: goOffline, device: d1}
        - {name: first, push: {payload: {aps: {alert: {title: One}}}}}
        - {name: second, at: 1m, push: {priority: 5, payload: {aps: {alert: {title: Two}}}}}
        - {at: 2m, do: goOnline, device: d1}
      expect:

      """

  @Test(
    "a verdict passes what is true and fails what is not",
    arguments: [
      ("{pushes: {}, count: 8}", true), ("{pushes: {}, count: 7}", false), ("{pushes: {}, count: 8..}", true),
      ("{pushes: {priority: 5}, count: 4}", true), ("{pushes: {priority: 10}, count: 4}", true),
      ("{pushes: {priority: 1}, count: 0}", true), ("{pushes: {step: first}, count: 4}", true),
      ("{pushes: {app: com.example.app, tokenKind: device, pushType: alert}, count: 8}", true),
      ("{pushes: {app: com.example.store}, count: 0}", true), ("{pushes: {tokenKind: update}, count: 0}", true),
      ("{pushes: {}, all: {status: 200}}", true), ("{pushes: {}, all: {outcome: banner}}", false),
      ("{pushes: {device: d0}, all: {outcome: banner}}", true),
      ("{pushes: {status: 410}, all: {device: d0}}", false), ("{pushes: {}, none: {status: 410}}", true),
      ("{pushes: {}, none: {cause: superseded-in-store}}", false),
      ("{pushes: {device: d1}, sometimes: {fate: Stored - Device Offline}}", true),
      ("{pushes: {device: d0}, sometimes: {fate: Stored - Device Offline}}", false),
      ("{pushes: {device: d1, fate: Stored - Device Offline}, count: 0}", true),
      ("{at: 90s, pushes: {device: d1, fate: Stored - Device Offline}, count: 1}", true),
      ("{within: 30s, pushes: {}, count: 4}", true), ("{within: 30s, of: second, pushes: {}, count: 4}", true),
      ("{screens: {}, show: {notification: {title: Two}}}", true),
      ("{screens: {}, show: {notification: {title: One}}}", false),
      ("{screens: {}, show: {notification: {title: One}}, on: 3}", true),
      ("{screens: {}, show: {notifications: 2}, on: 1..3}", true), ("{screens: {}, show: {cards: 1}, on: none}", true),
      ("{screens: {device: d1}, at: 90s, show: {notifications: 0}}", true),
      ("{screens: {online: false}, show: {notifications: 0}}", false),
      ("{events: {event: wentOnline}, count: 1}", true),
      ("{events: {device: d1}, ordered: [wentOffline, wentOnline]}", true),
      ("{events: {}, ordered: [wentOnline, wentOffline]}", false),
      ("{events: {event: rebooted}, sometimes: true}", false),
      ("{events: {event: wentOnline, device: d0}, sometimes: true}", false),
      ("{at: 90s, events: {event: wentOnline}, count: 0}", true),
    ])
  func truth(expectation: String, holds: Bool) throws {
    let report = try play(Self.story + "  - " + expectation)
    #expect(report.verdicts.count == 1)
    #expect(report.passed == holds, "\(report.text)")
  }

  @Test("a failure names the nearest push, the pushes, the seed and the command to repeat it")
  func failure() throws {
    let text = try play(Self.story + "  - {name: seen, pushes: {step: first}, all: {outcome: banner}}").text
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("FAIL  a story (seed 9, 4 devices, 3h): 8 pushes, ") ?? false, "\(text)")
    #expect(text.contains("FAIL  a story.yaml:10:5 at 3h: seen"), "\(text)")
    #expect(text.contains("found    3 of 4"), "\(text)")
    #expect(text.contains("nearest  push 2 to d1 (device token) at 0s: 200, Discarded - Replaced"), "\(text)")
    #expect(text.contains("outcome is none, not banner"), "\(text)")
    #expect(lines.last == "  rerun with: pushpit simulate 'a story.yaml' --seed 9", "\(text)")
  }

  @Test("a different screen is shown by its nearest, with its last pushes")
  func screenFailure() throws {
    let text = try play(Self.story + "  - {screens: {device: d1}, show: {notification: {title: One}}}").text
    #expect(text.contains(#"d1: notification.title is "Two", not "One""#), "\(text)")
    #expect(text.contains("push 6 to d1 (device token) at 1m"), "\(text)")
  }

  private static let nothingPushed = "\nexpect: [{events: {}, count: 0..}]"

  @Test("an empty screen shows the fate of the last push to it")
  func deniedScreen() throws {
    let steps =
      "steps:\n  - {do: permit, notifications: denied, app: com.example.app, device: d1}\n"
      + "  - {push: {payload: {aps: {alert: A}}}}\n"
    let text = try play(Self.fleet + steps + "expect: [{screens: {}, show: {notifications: 1}}]").text
    #expect(text.contains("d1: notifications are 0, not 1"), "\(text)")
    #expect(text.contains("the last push to it: Discarded - Disabled, nothing (permission-denied)"), "\(text)")
    #expect(text.contains("all screens to show 1 notification\n"), "\(text)")
  }

  @Test("a fault that never matched is noted, and one that matched is not")
  func idleFault() throws {
    let story =
      Self.fleet + "steps:\n  - {fault: {name: idle, when: {priority: 1}, then: {lose: true}}}\n"
      + "  - {fault: {name: used, limit: 2, then: {lose: true}}}\n  - {push: {payload: {aps: {alert: A}}}}\n"
      + "  - {deleteFault: used}\nexpect: [{pushes: {}, count: 4}]"
    let report = try play(story)
    #expect(report.passed)
    #expect(
      report.text.contains("note  a story.yaml:5:5 at 0s: the fault idle never struck: nothing met"), "\(report.text)")
    #expect(!report.text.contains("the fault used"), "\(report.text)")
    let late = try play(
      Self.fleet + "steps:\n  - {fault: {name: late, from: 4h, then: {lose: true}}}\n"
        + "  - {push: {payload: {aps: {alert: A}}}}\nexpect: [{pushes: {}, count: 4}]")
    #expect(late.text.contains("never struck: nothing met its condition while it was in force."), "\(late.text)")
  }

  @Test("an impossible step fails the run, and a partly refused one is noted")
  func steps() throws {
    let failing = try play(Self.fleet + "steps: [{do: goOnline, device: d0}]" + Self.nothingPushed)
    #expect(!failing.passed && failing.text.contains("a story.yaml:4:9 at 0s: d0"), "\(failing.text)")
    let nobody = try play(Self.fleet + "steps: [{do: lock, where: {os: \"15\"}}]" + Self.nothingPushed)
    #expect(!nobody.passed && nobody.text.contains("no device matches"), "\(nobody.text)")
    let some = try play(
      Self.fleet + "steps: [{do: goOffline, device: d0}, {do: goOffline, where: {}}]" + Self.nothingPushed)
    #expect(some.passed && some.text.contains("done on 3 devices, refused on 1"), "\(some.text)")
    let noToken = try play(
      Self.fleet + "steps: [{push: {tokenKind: update, payload: {aps: {}}}}]\nexpect: [{pushes: {}, count: 0}]")
    #expect(noToken.passed && noToken.text.contains("none of the selected devices has such a token"), "\(noToken.text)")
  }

  @Test("a repeated step has one name")
  func repeated() throws {
    let repeated =
      "steps: [{repeat: {times: 3, every: 1m, steps: [{name: again, push: {payload: {aps: {alert: A}}}}]}}]\n"
    let report = try play(
      Self.fleet + repeated + "expect:\n  - {pushes: {step: again}, count: 12}\n"
        + "  - {within: 10s, of: again, pushes: {}, count: 12}")
    #expect(report.passed, "\(report.text)")
  }

  @Test("the provider's token is renewed in time, however long the run is")
  func longStory() throws {
    let report = try play(
      Self.fleet.replacing("3h", with: "50h")
        + "steps: [{every: 7m, until: 50h, push: {device: d0, payload: {aps: {alert: A}}}}]\n"
        + "expect: [{pushes: {}, all: {status: 200}}, {pushes: {}, count: 429}]")
    #expect(report.passed, "\(report.text)")
  }

  @Test("JUnit and JSON have the same results")
  func forPrograms() throws {
    let report = try play(
      Self.story + "  - {name: \"<seen> & \\\"all\\\"\", pushes: {}, count: 1}\n  - {pushes: {}, count: 8}")
    let xml = JUnit.text([report.suite])
    let suite = #"<testsuite name="a story (seed 9)" tests="2" failures="1" errors="0" skipped="0" time="10800.000">"#
    #expect(xml.contains(suite), "\(xml)")
    #expect(xml.contains(#"name="&lt;seen&gt; &amp; &quot;all&quot;">"#), "\(xml)")
    #expect(xml.contains("rerun with: pushpit simulate"), "\(xml)")
    let twice = JUnit.text([report.suite, report.suite])
    #expect(twice.contains(#"<testsuites tests="4" failures="2" errors="0" skipped="0" time="21600.000">"#), "\(twice)")
    #expect(report.json["passed"] == .bool(false) && report.json["pushes"]?.integer == 8)
    #expect(report.json["expectations"]?.elements?.map { $0["passed"] } == [.bool(false), .bool(true)])
  }

  @Test("check prints what happens at which time")
  func explanation() throws {
    let text = Explanation(try ScenarioFile.read("\(ScenarioFolder.path)/whole-match.yaml")).text
    #expect(text.contains("4h with 20 devices, seed 7"), "\(text)")
    #expect(
      text.contains("1m        scores: push to the update tokens of com.example.app (liveactivity, priority 10), 90"),
      "\(text)")
    #expect(text.contains("1h40m     expected: stale then"), "\(text)")
  }
}
