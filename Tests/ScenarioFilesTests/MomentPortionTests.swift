import APNs
import ScenarioFiles
import Testing
import Timeline

@testable import Scenarios
@testable import Simulation

/// Work that is counted, not timed: what is done in one hold of a lock does not grow with the fleet, and not with the
/// product of events and expectations.
@Suite("A moment of a scenario is performed in portions")
struct MomentPortionTests {
  private static let devices = 3_000

  /// - Parameter expectations: number of those that each event is compared with.
  private static func scenario(_ steps: String, expectations: Int = 1) throws -> Scenario {
    let subject = steps.hasPrefix("push") ? "pushes: {status: 200}" : "events: {event: rebooted}"
    let expect = Array(repeating: "  - {\(subject), count: 0..}", count: expectations).joined(separator: "\n")
    let text = """
      for: 1h
      settings: {fleet: {devices: \(devices), ideal: true}}
      steps:
        - {\(steps)}
      expect:
      \(expect)
        - {screens: {}, show: {notifications: 1}, on: 0..}
      """
    return try ScenarioFile.parse(text, named: "s.yaml").scenario
  }

  private struct Portions {
    /// Numbers of events, of the portions of each moment.
    var events: [[Int]] = []
    var report: ScenarioReport
  }

  /// - Parameter between: called after each portion that does not end its moment.
  private static func play(
    _ scenario: Scenario, between: (inout Simulator, Instant) -> Void = { _, _ in }
  ) throws -> Portions {
    var simulator = ScenarioPlayer.simulator(scenario)
    var director = ScenarioDirector(scenario, pace: .virtual, provider: VirtualProvider(scenario.plan))
    var (events, moment, left) = ([[Int]](), [Int](), 100_000)
    while left > 0 {
      left -= 1
      let (due, before) = (director.due, simulator.readers.logs.end.sequence)
      let isThere = director.moveSome(to: scenario.length, &simulator, wall: scenario.begins) { _ in }
      moment.append(Int(simulator.readers.logs.end.sequence - before))
      if director.isInMoment { between(&simulator, scenario.begins.advanced(by: director.passed)) }
      if director.due != due {
        events.append(moment)
        moment = []
      }
      if isThere { break }
    }
    try #require(left > 0)
    return Portions(events: events, report: director.report(simulator))
  }

  @Test(
    "a portion of a moment has a limited number of events, and fewer if there are many expectations",
    arguments: [
      ("push: {payload: {aps: {alert: {title: One}}}}", 1, World.eventsPerStep),
      ("push: {payload: {aps: {alert: {title: One}}}}", 900, 22),
      ("push: {payload: {aps: {alert: {title: '${device}'}}}}", 900, 22),
      ("do: reboot, where: {}", 1, World.eventsPerStep), ("do: reboot, where: {}", 900, 22),
    ])
  func events(step: String, expectations: Int, most: Int) throws {
    let played = try Self.play(try Self.scenario(step, expectations: expectations))
    let first = try #require(played.events.first)
    // A device's own events are not divided.
    #expect(first.allSatisfy { $0 <= most + 10 }, "\(first.max() ?? 0)")
    #expect(first.reduce(0, +) >= Self.devices && first.count >= Self.devices / most)
  }

  @Test("a portion of an evaluation reads some phones' screens")
  func screens() throws {
    let played = try Self.play(try Self.scenario("push: {payload: {aps: {alert: {title: One}}}}"))
    // Ten thousand comparisons with a push are as much as 500 screens.
    #expect(try #require(played.events.last).count >= Self.devices / 500)
    let verdict = try #require(played.report.verdicts.last)
    #expect(verdict.found.contains("\(Self.devices)"), "\(verdict.found)")
  }

  @Test(
    "a moment of rejected actions is also divided into portions, although they cause no events",
    arguments: ["do: endActivity, where: {}", "do: uninstall, app: com.example.app, where: {}"])
  func refusals(step: String) throws {
    let played = try Self.play(try Self.scenario(step))
    #expect(try #require(played.events.first).count > 3)
  }

  @Test("other orders are accepted between portions: every device gets its push, and the report counts them all")
  func others() throws {
    var orders = 0
    let scenario = try Self.scenario("push: {payload: {aps: {alert: {title: One}}}}")
    let played = try Self.play(scenario) { simulator, now in
      guard orders < 3 else { return }
      orders += 1
      _ = try? simulator.world.perform(.deleteAllFaults, at: Now(world: now, wall: now))
    }
    #expect(orders == 3 && played.report.passed, "\(played.report.text)")
    #expect(played.report.verdicts.first?.found.contains("\(Self.devices)") ?? false)
  }

  @Test("a key that is revoked between portions is rejected from the next push on, as on every other way")
  func revoked() throws {
    let scenario = try Self.scenario("push: {payload: {aps: {alert: {title: One}}}}")
    var isRevoked = false
    let played = try Self.play(scenario) { simulator, now in
      guard !isRevoked else { return }
      isRevoked = true
      let key = simulator.world.validator.keyRing.keys[0].keyID
      _ = try? simulator.world.perform(.revokeKey(key), at: Now(world: now, wall: now))
    }
    #expect(isRevoked)
    let accepted = try #require(played.report.verdicts.first?.figures?.meant)
    #expect((1..<Self.devices).contains(accepted) && accepted <= World.eventsPerStep, "\(accepted)")
  }

  @Test("a scenario that ends in the middle of a moment evaluates nothing more")
  func abandoned() throws {
    let scenario = try Self.scenario("push: {payload: {aps: {alert: {title: One}}}}")
    var simulator = ScenarioPlayer.simulator(scenario)
    var director = ScenarioDirector(scenario, pace: .virtual, provider: VirtualProvider(scenario.plan))
    var left = 1_000
    while !director.isInMoment, left > 0 {
      left -= 1
      _ = director.moveSome(to: .zero, &simulator, wall: scenario.begins) { _ in }
    }
    #expect(director.isInMoment)
    director.abandon("It was enough.")
    #expect(!director.isInMoment && director.due == nil && !director.report(simulator).passed)
    director.move(to: scenario.length, &simulator, wall: scenario.begins) { _ in }
    #expect(director.report(simulator).verdicts.count == 2)
  }
}
