import APNs
import Configuration
import Devices
import Reporting
import Simulation
import Testing
import Timeline

@testable import ClubSupport

@Suite("The apps of the fleet register themselves")
struct FirstOpeningTests {
  private static let all: UInt32 = 200

  private func begun(within: Duration?) throws -> Club {
    var plan = Club.calm
    plan.opensWithin = within
    return try Club(devices: Self.all, phones: PhoneMix(), reports: plan)
  }

  @Test("every app is opened once within the period, each at its own time, and on offline phones without effect")
  func opened() throws {
    var club = try begun(within: .seconds(10))
    let began = club.now.world
    let offline = (0..<Self.all).count { !club.world.fleet.isOnline(DeviceID($0)) }
    #expect(offline > 0)
    club.advance(by: .seconds(60))
    let registered = club.calls.filter { $0.line == Club.deviceLine }
    #expect(registered.count == Int(Self.all) - offline && club.callers(Club.deviceLine).count == registered.count)
    // The first call of a launch leaves at its very instant.
    let waits = club.calls.filter { $0.line == Club.followsLine }.map { began.duration(to: $0.at) }
    #expect(waits.allSatisfy { (.zero...(.seconds(10))).contains($0) } && Set(waits).count > 100)
    #expect(club.ends.count { $0.failure == .offline && $0.event == "deviceToken" } == offline)
  }

  @Test("phones keep their state: locked, dark, and force-quit where the owner had swiped the app away")
  func untouched() throws {
    let before = try begun(within: nil)
    var club = try begun(within: .seconds(10))
    let lives = (0..<Self.all).map { before.life(on: $0) }
    #expect(lives.contains(.forceQuit))
    club.advance(by: .seconds(120))
    for device in 0..<Self.all {
      let (old, new) = (before.world.fleet.phone(DeviceID(device)), club.world.fleet.phone(DeviceID(device)))
      #expect((club.life(on: device) == .forceQuit) == (lives[Int(device)] == .forceQuit), "d\(device)")
      #expect(club.life(on: device) != .foreground)
      #expect(old.isLocked == new.isLocked && old.condition == new.condition, "d\(device)")
    }
  }

  @Test("a person stays in an app that they open as long as reports.visit says", arguments: ["30s", "5m"])
  func visit(_ length: String) throws {
    var settings = Settings()
    try settings.set("reports.opensWithin", to: "0s")
    try settings.set("reports.visit", to: length)
    var club = try Club(reports: settings.reports)
    club.advance(by: .seconds(29))
    #expect(club.life() == .foreground)
    club.advance(by: .seconds(2))
    #expect((club.life() == .foreground) == (length == "5m"))
    club.advance(by: .seconds(270))
    #expect(club.life() != .foreground)
  }

  @Test("the apps of the fleet make no calls if reports.opensWithin is never")
  func never() throws {
    var club = try begun(within: nil)
    club.advance(by: .seconds(60))
    #expect(club.calls.isEmpty && club.ends.isEmpty)
  }

  private static let running = """
    bundleId: com.example.app
    attributesTypes: [MatchAttributes]
    runningActivities: 1
    reports:
      on:
        deviceToken: [{url: "{{backend}}/token"}]
    """

  @Test("activities that end before their app is opened first have ended on every phone")
  func overBefore() throws {
    var policy = Club.quick
    policy.activityLife = .seconds(5)
    var plan = Club.calm
    plan.opensWithin = .seconds(10)
    var club = try Club(Self.running, devices: 50, policy: policy, reports: plan)
    club.advance(by: .seconds(60))
    let ended = club.happened.filter { if case .activityEnded(0, .lifeOver) = $0.what { true } else { false } }
    #expect(Set(ended.map(\.device)).count == ended.count)
    #expect(ended.count == 50)
  }
}
