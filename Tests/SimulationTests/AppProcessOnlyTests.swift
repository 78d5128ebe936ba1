import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// Requests, observers and tokens live in the app, never in the widget extension.
@Suite("Only the app's process")
struct AppProcessOnlyTests {
  @Test(
    "S171 S101: a device with an app that never runs reports nothing, though its Live Activities are drawn to the end")
  func neverRuns() throws {
    var stage = Stage()
    try stage.enter(.forceQuit)
    let start = try stage.token(.pushToStart(type: 0))
    var rendered = 0
    for number: UInt32 in 0..<3 {
      var story = [try stage.start(with: start)]
      #expect(story[0].fate.starts(number) && stage.cards().contains { $0.number == number })
      let token = try stage.token(.update(activity: number))
      for _ in 0..<5 {
        stage.advance(by: .seconds(30))
        story.append(try stage.pushActivity(token, event: "update"))
      }
      try stage.order(.rotate(.update, app: nil, attributesType: nil, activity: stage.newestCard()))
      story.append(try stage.pushActivity(stage.token(.update(activity: number)), event: "end"))
      #expect(story.allSatisfy { $0.status == 200 && $0.fate.isDelivered })
      rendered += story.flatMap { PushStory($0).lines }.count { $0.process == .chronod && $0.event == "rendered" }
    }
    stage.advance(by: .seconds(86400))
    #expect(rendered >= 3 * 6)
    let happened = stage.happened()
    #expect(happened.contains { if case .tokenIssued(.update) = $0 { true } else { false } })
    #expect(!happened.contains { $0.process == .app }, "\(happened.filter { $0.process == .app })")
  }

  @Test("S171: on a fleet of force-quit apps with initial Live Activities all are drawn, and none reports")
  func fleet() throws {
    var phones = PhoneMix.ideal
    phones.forceQuit = .always
    let profile = AppProfile(
      bundleID: Stage.app, teamID: Stage.team, attributesTypes: ["MatchAttributes"], runningActivities: 1)
    var stage = Stage(devices: 100, apps: [profile], phones: phones)
    for device: UInt32 in 0..<100 {
      let token = try stage.token(.update(activity: 0), on: device)
      #expect(try stage.pushActivity(token, event: "update").fate.updates(0))
      #expect(stage.cards(on: device).map(\.content) == [[:]])
    }
    #expect(stage.devices { $0.process == .app }.isEmpty)
  }

  @Test("S171: swiped away between the push and its wake, or asleep with the phone off, it learns nothing either")
  func overtaken() throws {
    var policy = Stage.quick
    policy.timing = Timing()
    for action: DeviceAction in [.forceQuit(app: nil), .reboot, .uninstall(app: nil)] {
      var stage = Stage(policy: policy)
      _ = try stage.start(with: stage.token(.pushToStart(type: 0)))
      try stage.order(action)
      _ = stage.events()
      stage.advance(by: .seconds(60))
      #expect(!stage.happened().contains { $0.process == .app }, "\(action)")
    }
  }

  @Test("S171: the same pushes to an app that may run are reported")
  func runs() throws {
    var stage = Stage()
    try stage.enter(.terminated)
    _ = try stage.start(with: stage.token(.pushToStart(type: 0)))
    #expect(stage.yieldedTokens().contains(.update(activity: 0)))
  }

  @Test("an app without the push capability is given no token of any kind")
  func noCapability() throws {
    var profile = Stage.profiles[0]
    profile.traits.pushCapability = false
    var stage = Stage(apps: [profile])
    let tokens = try stage.relaunch()
    #expect(tokens == [])
    // What would have been its token is not known to APNs.
    #expect(try stage.push(stage.token()).reason == .badDeviceToken)
    #expect(throws: CommandProblem.self) {
      try stage.order(.rotate(.device, app: nil, attributesType: nil, activity: nil))
    }
  }
}

extension Stage {
  /// The name of the card that was started last.
  fileprivate func newestCard() -> String? { cards().max { $0.number < $1.number }?.id }
}
