import APNs
import Devices
import Simulation
import Testing
import Timeline

/// Activities and push-to-start tokens that remain after an update of the app or a restore, by every setting.
@Suite("What survives an update or a restore")
struct SurvivalTests {
  private func stage(os: OSVersion = OSVersion(26, 1), _ change: (inout DevicePolicy) -> Void) throws -> Stage {
    var policy = Stage.quick
    change(&policy)
    return Stage(os: os, policy: policy)
  }

  private static let start = TokenSlot.pushToStart(type: 0)
  private static let update = TokenSlot.update(activity: 0)

  @Test("an update of the app keeps its activities, or ends them", arguments: [true, false])
  func appUpdate(_ survives: Bool) throws {
    var stage = try stage { $0.activitiesSurviveAppUpdate = survives }
    try stage.launch()
    try stage.order(.updateApp(app: nil))
    #expect(stage.cards().map(\.state) == [survives ? .active : .ended])
    #expect(try stage.update(1).fate.isUpdate == survives)
  }

  @Test("an update of the app keeps its push-to-start tokens, or replaces them", arguments: [true, false])
  func startTokenAndAppUpdate(_ rotates: Bool) throws {
    var stage = try stage { $0.startTokens.rotatesOnAppUpdate = rotates }
    let before = try stage.token(Self.start)
    try stage.order(.updateApp(app: nil))
    #expect(try stage.token(Self.start) != before || !rotates)
    let record = try stage.start(with: before)
    #expect(record.status == 200 && record.fate.discard == (rotates ? .orphanToken : nil))
    #expect(stage.cards().isEmpty == rotates)
  }

  @Test("a restore removes the cards, or keeps them with another update token", arguments: [true, false])
  func restore(_ survives: Bool) throws {
    var stage = try stage { $0.activitiesSurviveRestore = survives }
    try stage.launch()
    let before = try stage.token(Self.update)
    try stage.order(.restore)
    try stage.order(.unlock)
    #expect(stage.cards().map(\.state) == (survives ? [.active] : []))
    _ = stage.events()
    try stage.order(.open(app: nil))
    #expect(stage.yieldedTokens().contains(Self.update) == survives)
    #expect(try stage.pushActivity(before, event: "update").fate.discard == (survives ? .orphanToken : .activityOver))
    guard survives else { return }
    #expect(try stage.update(1).fate.isUpdate)
    stage.advance(by: .seconds(60))
    #expect(try stage.pushActivity(before, event: "update").reason == .unregistered)
  }

  @Test(
    "a restore replaces the push-to-start token, or keeps it valid before the app is opened", arguments: [true, false])
  func startTokenAndRestore(_ rotates: Bool) throws {
    var stage = try stage { $0.startTokens.rotatesOnRestore = rotates }
    let before = try stage.token(Self.start)
    let device = try stage.token()
    try stage.order(.restore)
    try stage.order(.unlock)
    let record = try stage.start(with: before)
    #expect(record.status == 200 && record.fate.discard == (rotates ? .orphanToken : nil))
    #expect(stage.cards().isEmpty == rotates)
    // The device token is another one in any case, and not issued yet.
    #expect(try stage.push(device).fate.discard == .orphanToken)
    #expect(try stage.push(try stage.token()).reason == .badDeviceToken)
    _ = stage.events()
    try stage.order(.open(app: nil))
    #expect(stage.yieldedTokens().contains(Self.start))
    #expect(try (stage.token(Self.start) == before) != rotates)
  }

  @Test("deleted and installed again, the app has another push-to-start token or the same", arguments: [true, false])
  func startTokenAndReinstall(_ rotates: Bool) throws {
    for os in [OSVersion(17, 6), OSVersion(26, 1)] {
      var stage = try stage(os: os) {
        $0.startTokens.rotatesOnReinstall = rotates
        $0.startTokens.on17 = .onLaunch
      }
      let before = try stage.token(Self.start)
      try stage.order(.uninstall(app: nil))
      #expect(try stage.start(with: before).fate.discard == .appAbsent)
      // So long that APNs has learnt of it: the same value registered again is good again.
      stage.advance(by: .seconds(2 * 24 * 3600))
      #expect(try stage.start(with: before).reason == .unregistered)
      try stage.order(.reinstall(app: nil, opens: true))
      #expect(stage.yieldedTokens().contains(Self.start))
      #expect(try (stage.token(Self.start) == before) != rotates)
      #expect(try stage.start(with: before).reason == (rotates ? .unregistered : nil))
      #expect(stage.cards().isEmpty == rotates)
    }
  }

  @Test("how an app obtains a token is set for iOS 17 and from 18 on; before 17.2 it cannot")
  func obtaining() throws {
    for way in PushToStartAvailability.allCases {
      for (os, isMeant) in [
        (OSVersion(17, 1), false), (OSVersion(17, 2), true), (OSVersion(17, 6), true), (OSVersion(18, 0), false),
      ] {
        var stage = try stage(os: os) { $0.startTokens.on17 = way }
        let has = isMeant ? way == .onLaunch : os >= OSVersion(18, 0)
        #expect(try stage.relaunch().contains(Self.start) == has, "\(way) \(os.text)")
        #expect(try (stage.start(with: stage.token(Self.start)).status == 200) == has, "\(way) \(os.text)")
      }
      var stage = try stage { $0.startTokens.from18 = way }
      #expect(try stage.relaunch().contains(Self.start) == (way == .onLaunch), "\(way)")
      try stage.order(.uninstall(app: nil))
      try stage.order(.reboot)
      try stage.order(.reinstall(app: nil, opens: false))
      #expect(try stage.relaunch().contains(Self.start) == (way != .never), "\(way)")
      #expect(try (stage.start(with: stage.token(Self.start)).status == 200) == (way != .never), "\(way)")
    }
  }
}
