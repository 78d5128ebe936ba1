import Reporting
import ScenarioFiles
import Scenarios
import Simulation
import Testing
import WireFormats

@Suite("Steps and expectations for one person's phones")
struct UserFilterTests {
  private static let story = """
    settings:
      fleet: {devices: 6, ideal: true, mix: {twoPhones: 100%}, os: {"26.1": 1}}
      prompt: {policy: never}
      timing: {immediate: true}
    steps:
      - {name: both, push: {user: u2, payload: {aps: {alert: A}}}}
      - {name: second, push: {user: u2, device: d3, payload: {aps: {alert: B}}}}
      - {do: goOffline, where: {user: u4}}
    expect:

    """

  @Test(
    "pushes, actions and screens of a user are those of both phones",
    arguments: [
      ("{pushes: {step: both}, count: 2}", true), ("{pushes: {step: both, devices: [d2, d3]}, count: 2}", true),
      ("{pushes: {step: second}, all: {device: d3}}", true), ("{events: {event: wentOffline}, count: 2}", true),
      ("{screens: {user: u2}, show: {notifications: 2}, on: 1}", true),
      ("{screens: {user: u2}, show: {notifications: 1}, on: 1}", true),
      ("{screens: {user: u0}, show: {notifications: 0}, on: 2}", true),
      ("{screens: {user: u2}, show: {notifications: 2}}", false),
    ])
  func selects(expectation: String, passes: Bool) throws {
    let report = ScenarioPlayer.play(
      try ScenarioFile.parse(Self.story + "  - " + expectation, named: "s.yaml").scenario)
    #expect(report.passed == passes, "\(report)")
  }

  @Test("the apps of a person's phones have one user and one session, and each has its own install")
  func session() throws {
    let story = """
      for: 5m
      settings:
        fleet:
          devices: 4
          ideal: true
          mix: {twoPhones: 100%}
          os: {"26.1": 1}
          apps:
            - bundleId: com.example.app
              reports:
                on:
                  launch:
                    - url: "{{backend}}/{{user.id}}"
                      json: {session: "{{user.session}}", install: "{{install.idfv}}"}
        reports: {backend: "http://127.0.0.1:9"}
        timing: {immediate: true}
      steps:
        - {do: terminate, where: {}}
        - {do: open, where: {}}
      expect: [{calls: {}, count: 4}]
      """
    var said: [String: [(session: String, install: String)]] = [:]
    _ = try Rehearsal.play(story) { record in
      let body = record.call.body.flatMap { try? JSONValue.parse(Array($0.utf8)) }
      said[record.call.url, default: []].append(
        (body?["session"]?.string ?? "", body?["install"]?.string ?? ""))
      return .answered(status: 200, body: nil)
    }
    #expect(said.keys.sorted() == ["http://127.0.0.1:9/u0", "http://127.0.0.1:9/u2"])
    for phones in said.values {
      #expect(phones.count == 2 && phones[0].session == phones[1].session && phones[0].install != phones[1].install)
    }
    #expect(said["http://127.0.0.1:9/u0"]?[0].session != said["http://127.0.0.1:9/u2"]?[0].session)
  }
}
