import APNs
import Devices
import Simulation
import Testing
import Timeline

/// docs/behavior/tokens.md#after-the-update-to-ios-27
@Suite("A push-to-start token after the update to iOS 27")
struct StaleStartTokenTests {
  private static let start = TokenSlot.pushToStart(type: 0)
  private static let seven = OSVersion(27, 0)

  private func stage(
    devices: UInt32 = 1, os: OSVersion = OSVersion(26, 1), share: Odds = .always,
    _ fate: StartTokenPolicy.AfterSystemUpdate = .stale
  ) -> Stage {
    var policy = Stage.quick
    policy.startTokens.afterSystemUpdate = fate
    policy.startTokens.staleShare = share
    return Stage(devices: devices, os: os, policy: policy)
  }

  /// Updated, unlocked, and the app opened once.
  private func updated(to version: OSVersion = seven, _ stage: inout Stage) throws {
    try stage.order(.updateSystem(version))
    try stage.order(.open(app: nil))
  }

  @Test("a start token can die with iOS 27: pushes return 200 without a card, and each launch yields it again")
  func dies() throws {
    var stage = stage()
    let before = try stage.token(Self.start)
    _ = stage.events()
    try updated(&stage)
    let happened = stage.happened()
    #expect(happened.contains(.tokenDied(Self.start)) && happened.contains(.tokenYielded(Self.start)))
    #expect(try stage.token(Self.start) == before, "the app holds the same one")
    for _ in 0..<4 {
      let record = try stage.start(with: before)
      #expect(record.status == 200 && record.fate.discard == .deadStartToken)
      #expect(try stage.relaunch().contains(Self.start))
      stage.advance(by: .seconds(7 * 86400))
    }
    #expect(stage.cards().isEmpty)
    #expect(try stage.push(stage.token()).fate.isDelivered, "other pushes come")
  }

  @Test("the story of a push to a dead start token names a remedy, and the token is not listed as live")
  func told() throws {
    var stage = stage()
    try updated(&stage)
    let record = try stage.start(with: stage.token(Self.start))
    let line = try #require(try stage.story(of: record).first { $0.cause == "dead-start-token" })
    #expect(line.sentence.contains("off and on"))
    #expect(line.evidence?.source.contains("docs/behavior/delivery.md#dead-start-token") == true)
    var filter = Filter()
    filter.app = Stage.app
    filter.tokenKind = .pushToStart
    let listed = stage.world.tokens(filter, from: .init(device: 0, skip: 0), limit: 10, at: stage.now.world).tokens
    #expect(listed.count == 2 && listed.allSatisfy { !$0.isLive })
  }

  @Test(
    "switching Live Activities of the app off and on replaces a dead start token, which is 410 a day later")
  func comesBack() throws {
    var stage = stage()
    let dead = try stage.token(Self.start)
    try updated(&stage)
    try stage.flip(.liveActivities, false)
    #expect(try stage.token(Self.start) == dead, "off alone brings nothing")
    _ = stage.events()
    try stage.flip(.liveActivities, true)
    #expect(stage.yieldedTokens().contains(Self.start), "the app is open, and hears of it")
    let fresh = try stage.token(Self.start)
    #expect(fresh != dead)
    #expect(try stage.start(with: fresh).fate.starts(0))
    #expect(try stage.start(with: dead).fate.discard == .orphanToken)
    stage.advance(by: .seconds(86400))
    #expect(try stage.start(with: dead).reason == .unregistered)
    try stage.flip(.liveActivities, false)
    try stage.flip(.liveActivities, true)
    #expect(try stage.token(Self.start) == fresh, "a living one stays")
  }

  @Test("a closed app gets its new start token at its next launch")
  func closedApp() throws {
    var stage = stage()
    try stage.order(.updateSystem(Self.seven))
    try stage.order(.unlock)
    try stage.flip(.liveActivities, false)
    try stage.flip(.liveActivities, true)
    #expect(stage.yieldedTokens().isEmpty)
    try stage.order(.open(app: nil))
    #expect(stage.yieldedTokens().contains(Self.start))
    #expect(try stage.start(with: stage.token(Self.start)).fate.starts(0))
  }

  @Test("lives on or is replaced where nothing is set, as with any major update", arguments: [true, false])
  func keeps(_ rotates: Bool) throws {
    var policy = Stage.quick
    policy.startTokens.rotatesOnMajorUpdate = rotates
    var stage = Stage(devices: 1, policy: policy)
    let before = try stage.token(Self.start)
    try updated(&stage)
    #expect(try (stage.token(Self.start) != before) == rotates)
    #expect(try stage.start(with: stage.token(Self.start)).fate.starts(0))
    #expect(!stage.happened().contains(.tokenDied(Self.start)))
  }

  @Test("a start token dies only with an update across 27.0, and only where there was a token")
  func onlyThen() throws {
    for (from, to, dies) in [
      (OSVersion(26, 1), OSVersion(26, 6), false), (OSVersion(18, 5), OSVersion(26, 1), false),
      (OSVersion(26, 1), Self.seven, true), (OSVersion(18, 5), OSVersion(27, 1), true),
      (Self.seven, OSVersion(27, 1), false), (OSVersion(17, 1), Self.seven, false),
    ] {
      var stage = stage(os: from)
      try updated(to: to, &stage)
      let record = try stage.start(with: stage.token(Self.start))
      #expect((record.fate.discard == .deadStartToken) == dies, "\(from.text) to \(to.text)")
      #expect(stage.cards().isEmpty == dies, "\(from.text) to \(to.text)")
    }
  }

  @Test("the start token dies on the configured share of phones, the same ones with the same seed")
  func share() throws {
    func dead() throws -> [UInt32] {
      var stage = stage(devices: 1000, share: Odds(3, in: 10))
      try stage.orderAll(.updateSystem(Self.seven))
      return stage.devices { $0 == .tokenDied(Self.start) }.keys.map(\.number).sorted()
    }
    let first = try dead()
    // Five standard deviations of 1,000 draws at 30 %.
    #expect((228...372).contains(first.count), "\(first.count)")
    #expect(try dead() == first)
  }

  @Test("a start token stays dead over a reboot and an app update, and is replaced by a reinstall or a restore")
  func whatElse() throws {
    for (actions, isReplaced): ([DeviceAction], Bool) in [
      ([.reboot], false), ([.updateApp(app: nil)], false),
      ([.uninstall(app: nil), .reinstall(app: nil, opens: true)], true), ([.restore], true),
    ] {
      var stage = stage()
      let dead = try stage.token(Self.start)
      try updated(&stage)
      for action in actions { try stage.order(action) }
      try? stage.order(.open(app: nil))
      #expect(try (stage.token(Self.start) != dead) == isReplaced, "\(actions)")
      #expect(try stage.start(with: stage.token(Self.start)).fate.starts(0) == isReplaced, "\(actions)")
    }
  }

  @Test("a dead start token does not affect cards that are running")
  func runningCard() throws {
    var stage = stage()
    try stage.launch()
    try stage.order(.updateSystem(Self.seven))
    try stage.order(.unlock)
    #expect(try stage.update(1).fate.isUpdate)
  }
}
