import APNs
import Configuration
import Grammar
import ScenarioFiles
import Scenarios
import Simulation
import Testing
import WireFormats

@Suite("A scenario whose devices are divided among threads")
struct DividedScenarioTests {
  /// With enough devices.
  private func parse(_ lines: String, settings: String = "", devices: Int = 600) throws -> Scenario {
    let head = "settings: {fleet: {devices: \(devices), mix: {offline: 20%}}, timing: {immediate: true}\(settings)}\n"
    return try ScenarioFile.parse(head + lines, named: "x.yaml").scenario
  }

  /// Plays all parts, one after the other, which must not matter.
  private func played(_ scenario: Scenario, parts: Int) -> ScenarioReport? {
    guard let divided = DividedScenario(scenario, parts: parts, flags: ["--without", "x"]) else { return nil }
    return divided.report((0..<parts).map { divided.play($0) })
  }

  private func plan(_ plan: FleetPlan, devices: UInt32, store most: Int = 100_000) -> FleetPlan {
    var plan = plan
    plan.devices = devices
    plan.store.most = most
    return plan
  }

  private let push = "{push: {payload: {aps: {alert: A}}}}"

  @Test(
    "a divided scenario has the report of one world, byte for byte, with any number of parts", arguments: [2, 3, 8])
  func alike(parts: Int) throws {
    let scenario = try parse(
      """
      faults:
        - {name: busy, odds: "10%", then: {answer: TooManyRequests, retryAfter: 5}}
        - {name: tunnel, when: {share: "10%"}, from: 10s, for: 20s, then: {devices: {do: goOffline}}}
        - {name: idle, when: {app: com.example.store}, then: {lose: true}}
      steps:
        - {at: 1s, every: 5s, until: 50s, name: news, push: {payload: {aps: {alert: "{{n}}"}}}}
        - {at: 30s, push: {tokenKind: update, payload: {aps: {timestamp: 1, event: update, content-state: {}}}}}
      expect:
        - {pushes: {status: 429}, count: 1..}
        - {pushes: {fault: busy}, none: {status: 200}}
        - {pushes: {step: news}, sometimes: {fate: Stored - Device Offline}}
        - {screens: {online: true}, show: {notifications: 0}, on: 470..}
        - {connections: {}, count: 1}
        - {events: {event: wentOffline}, count: 10..}
      """)
    let whole = ScenarioPlayer.play(scenario, flags: ["--without", "x"])
    let divided = try #require(played(scenario, parts: parts))
    #expect(whole.passed && whole.findings.count == 2, "\(whole.text)")
    #expect(divided.text == whole.text)
    #expect(divided.json.text == whole.json.text)
  }

  @Test("a scenario is played by one world if it counts over all devices, or by numbers that only a world gives")
  func wholeOnly() throws {
    let step = "steps: [\(push)]\n"
    let divisible = step + "expect: [{pushes: {}, count: 600}]"
    #expect(DividedScenario(try parse(divisible), parts: 2) != nil)
    #expect(DividedScenario(try parse(divisible), parts: 1) == nil)
    #expect(DividedScenario(try parse(divisible, devices: 499), parts: 2) == nil)
    #expect(DividedScenario(try parse(divisible, settings: ", rules: {errorsPerConnection: 5}"), parts: 2) == nil)
    for expectation in [
      "{events: {device: d1}, ordered: [wentOffline, wentOnline]}", "{findings: {}, count: 0}",
      "{pushes: {apnsId: 11111111-2222-3333-4444-555555555555}, count: 0}", "{pushes: {connection: 1}, count: 600}",
    ] {
      let scenario = try parse(step + "expect: [\(expectation)]")
      #expect(DividedScenario(scenario, parts: 2) == nil, "\(expectation)")
    }
    for fault in [
      "limit: 3, then: {lose: true}", "when: {every: 3}, then: {lose: true}", "when: {skip: 3}, then: {lose: true}",
      "then: {close: true}", "then: {delay: 1s}", "when: {connection: 1}, then: {lose: true}",
    ] {
      let scenario = try parse("faults: [{name: f, \(fault)}]\n" + divisible)
      #expect(DividedScenario(scenario, parts: 2) == nil, "\(fault)")
    }
  }

  @Test(
    "a divided scenario is judged by one world if it fails, or if a note about its steps counts devices",
    arguments: [
      "steps: [{push: {payload: {aps: {alert: A}}}}]\nexpect: [{pushes: {}, count: 1}]",
      "steps: [{do: goOffline, where: {}}]\nexpect: [{events: {event: wentOffline}, count: 1..}]",
      "steps: [{do: goOnline, where: {devices: [d1]}}]\nexpect: [{screens: {}, show: {notifications: 0}, on: 600}]",
    ])
  func judgedWhole(story: String) throws {
    let scenario = try parse(story)
    #expect(played(scenario, parts: 2) == nil, "\(ScenarioPlayer.play(scenario).text)")
  }

  @Test("a divided scenario is played by one world if its store of pushes would be full there")
  func store() throws {
    let story = "steps: [{do: goOffline, where: {online: true}}, \(push)]\nexpect: [{pushes: {}, all: {status: 200}}]"
    let scenario = try parse(story)
    #expect(played(scenario, parts: 2)?.text == ScenarioPlayer.play(scenario, flags: ["--without", "x"]).text)
    var small = scenario
    small.plan = plan(scenario.plan, devices: 600, store: 500)
    #expect(played(small, parts: 2) == nil)
  }

  @Test("every shipped scenario has the same report with two parts, or none", arguments: ScenarioFolder.stories)
  func shipped(name: String) throws {
    var scenario = try ScenarioFolder.read(name)
    // The fewest that are divided; their expectations can then fail, which leaves it to one world.
    if scenario.plan.devices < DividedScenario.fewestDevices {
      scenario.plan = plan(scenario.plan, devices: DividedScenario.fewestDevices)
    }
    guard let divided = played(scenario, parts: 2) else { return }
    #expect(divided.json.text == ScenarioPlayer.play(scenario, flags: ["--without", "x"]).json.text)
  }
}
