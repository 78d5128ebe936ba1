import APNs
import Devices
import Simulation
import Testing
import Timeline

/// Events of the phone as a whole (docs/behavior/phones.md#phone-events).
@Suite("A phone")
struct DeviceEventTests {
  private static let policy: DevicePolicy = {
    var policy = Stage.quick
    policy.wakes.odds = .always
    return policy
  }()

  private func silent(_ stage: inout Stage) throws -> [DeviceEvent] {
    _ = stage.events()
    _ = try stage.push(stage.token(), body: Stage.silentBody)
    return stage.happened()
  }

  @Test("a force-quit is reset only by a reboot and by opening the app")
  func forceQuitLifted() throws {
    for (action, isLifted) in [
      (DeviceAction.reboot, true), (.open(app: nil), true), (.updateApp(app: nil), false), (.unlock, false),
      (.goOffline, false), (.startActivity(app: Stage.store, attributesType: nil), false),
    ] {
      var stage = Stage(policy: Self.policy)
      try stage.enter(.forceQuit)
      try stage.order(action)
      if action == .open(app: nil) { try stage.order(.leave(app: nil)) }
      if case .reboot = action { try stage.order(.unlock) }
      if case .goOffline = action { try stage.order(.goOnline) }
      stage.advance(by: .seconds(60))
      #expect(try silent(&stage).contains { $0.name == "backgroundPushYielded" } == isLifted, "\(action)")
    }
  }

  @Test("rebooted and not unlocked yet, it launches no app; once unlocked it does")
  func beforeFirstUnlock() throws {
    var stage = Stage(policy: Self.policy)
    try stage.order(.reboot)
    #expect(try silent(&stage).isEmpty)
    let record = try stage.start(with: stage.token(.pushToStart(type: 0)))
    #expect(record.fate.starts(0) && PushStory(record).lines.contains { $0.cause == "no-runtime" })
    #expect(stage.yields().isEmpty)
    try stage.order(.rotate(.update))
    #expect(stage.yields().isEmpty)
    try stage.order(.unlock)
    let woken = try silent(&stage)
    #expect(woken.contains(.appLaunched(.byBackgroundPush)))
    // Launched at last, the app finds what it has missed.
    #expect(woken.count { $0 == .activityYielded(0) } == 1)
    #expect(woken.count { $0 == .tokenYielded(.update(activity: 0)) } == 1)
  }

  @Test("activities outlive a reboot, and their cards are shown after the first unlock")
  func cardsAfterReboot() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let token = try stage.token(.update(activity: 0))
    try stage.order(.reboot)
    #expect(stage.cards().isEmpty)
    guard case .empty = stage.world.screen(of: DeviceID(0), at: stage.now.world).island else {
      Issue.record("the island is empty before the first unlock")
      return
    }
    #expect(try stage.pushActivity(token, event: "update").fate.updates(0))
    try stage.order(.unlock)
    #expect(stage.cards().map(\.state) == [.active])
    #expect(try stage.pushActivity(token, event: "update").fate.updates(0))
  }

  @Test("a question that is not on the screen before the first unlock is not answered")
  func questionAfterReboot() throws {
    var policy = Self.policy
    policy.prompt.policy = .everyPushStart
    var stage = Stage(policy: policy)
    _ = try stage.start(with: stage.token(.pushToStart(type: 0)))
    try stage.order(.reboot)
    stage.advance(by: .seconds(3600))
    #expect(!stage.happened().contains { $0.name == "promptAnswered" })
    try stage.order(.unlock)
    try stage.order(.lock)
    stage.advance(by: .seconds(20))
    #expect(stage.happened().contains(.promptAnswered(0, allowed: true)))
  }

  @Test("as a setting, a reboot ends activities, and the app learns of it when it runs again")
  func activitiesEndWithReboot() throws {
    var policy = Self.policy
    policy.activitiesSurviveReboot = false
    var stage = Stage(policy: policy)
    try stage.order(.startActivity(app: nil, attributesType: nil))
    _ = stage.events()
    // The app has runtime yet; with the phone it is gone.
    try stage.order(.reboot)
    let happened = stage.happened()
    #expect(happened.contains(.activityEnded(0, .system)) && !happened.contains { $0.name.hasSuffix("Yielded") })
    try stage.order(.open(app: nil))
    #expect(stage.yields().contains(.activityStateYielded(0, .ended)))
  }

  @Test("S57: restored, it has no token before each app is opened, other tokens then, and no cards")
  func restored() throws {
    var stage = Stage(policy: Self.policy)
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let before = try stage.app()
    _ = stage.events()
    try stage.order(.restore)
    let happened = stage.happened()
    #expect(happened.contains(.activityEnded(0, .system)) && happened.contains(.activityDismissed(0)))
    #expect(!happened.contains { $0.name.hasSuffix("Yielded") }, "no app lives through it")
    try stage.order(.unlock)
    #expect(stage.cards().isEmpty)
    #expect(try stage.app().deviceToken == nil && stage.app().startTokens.isEmpty)
    for token in [before.deviceToken] + before.startTokens.map(\.token) {
      let old = try #require(token)
      let topic = old == before.deviceToken ? Stage.app : Stage.activityTopic
      let record = try stage.push(old, topic: topic, body: Stage.silentBody)
      #expect(record.status == 200 && record.fate.discard == .orphanToken)
    }
    #expect(try stage.push(stage.token(), body: Stage.silentBody).reason == .badDeviceToken)
    #expect(stage.yields().isEmpty && stage.world.recent.isEmpty)
    try stage.order(.open(app: nil))
    #expect(stage.yieldedTokens().filter { $0 == .app || $0.isStart }.count == 3)
    let after = try stage.app()
    #expect(after.deviceToken != nil && after.deviceToken != before.deviceToken)
    #expect(Set(after.startTokens.map(\.token)).isDisjoint(with: before.startTokens.map(\.token)))
    #expect(try stage.push(stage.token()).fate.isDelivered)
  }

  @Test("S57: another major iOS reboots it and changes device and push-to-start tokens; activities remain")
  func systemUpdate() throws {
    var stage = Stage(policy: Self.policy)
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let before = try stage.app()
    let update = try stage.token(.update(activity: 0))
    _ = stage.events()
    try stage.order(.updateSystem(OSVersion(27, 0)))
    #expect(stage.world.recent.contains { if case .phone(_, nil, .rebooted, _) = $0 { true } else { false } })
    #expect(stage.yields().isEmpty)
    #expect(try stage.app().life == .terminated)
    try stage.order(.open(app: nil))
    let tokens = stage.yieldedTokens()
    for slot: TokenSlot in [.app, .pushToStart(type: 0), .pushToStart(type: 1), .update(activity: 0)] {
      #expect(tokens.count { $0 == slot } == 1, "\(slot)")
    }
    let after = try stage.app()
    #expect(after.deviceToken != before.deviceToken)
    #expect(Set(after.startTokens.map(\.token)).isDisjoint(with: before.startTokens.map(\.token)))
    #expect(try stage.pushActivity(update, event: "update").fate.updates(0))
  }

  @Test("as a setting, a major iOS changes nothing")
  func systemUpdateKeeps() throws {
    var policy = Self.policy
    policy.startTokens.rotatesOnMajorUpdate = false
    var stage = Stage(policy: policy)
    let before = try stage.app()
    try stage.order(.updateSystem(OSVersion(27, 0)))
    let after = try stage.app()
    #expect(before.deviceToken == after.deviceToken)
    #expect(before.startTokens.map(\.token) == after.startTokens.map(\.token))
  }
}
