import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// Effects of each state of an app (docs/behavior/phones.md#app-states).
@Suite("In each state of its app")
struct AppStateTests {
  /// States of an app that was opened once and is there.
  static let lives = AppLifecycle.allCases.filter { $0 != .neverLaunched }

  private static let policy: DevicePolicy = {
    var policy = Stage.quick
    policy.wakes.odds = .always
    return policy
  }()

  private func stage(_ life: AppLifecycle, running: Bool = false) throws -> Stage {
    var stage = Stage(policy: Self.policy)
    if running { try stage.order(.startActivity(app: nil, attributesType: nil)) }
    try stage.enter(life)
    return stage
  }

  @Test("S68 S72 S167: a start by push shows its card; the app gets runtime unless it was force-quit", arguments: lives)
  func start(_ life: AppLifecycle) throws {
    var stage = try stage(life)
    let record = try stage.start(with: stage.token(.pushToStart(type: 0)))
    #expect(record.fate.starts(0) && stage.cards().map(\.state) == [.active])
    let happened = stage.happened()
    #expect(happened.contains(.appLaunched(.byLiveActivity)) == (!life.hasProcess && life != .forceQuit))
    #expect(happened.contains(.tokenIssued(.update(activity: 0))), "APNs makes it all the same")
    for heard: DeviceEvent in [.activityYielded(0), .tokenYielded(.update(activity: 0))] {
      #expect(happened.count { $0 == heard } == (life == .forceQuit ? 0 : 1), "\(heard)")
    }
    #expect(PushStory(record).lines.contains { $0.cause == "no-runtime" } == (life == .forceQuit))
    let next: AppLifecycle = life.isRunning || life == .forceQuit ? life : .background
    #expect(try stage.app().life == next)
  }

  @Test("S71: a force-quit app gets what it missed when it is opened")
  func forceQuitThenOpened() throws {
    var stage = try stage(.forceQuit)
    _ = try stage.start(with: stage.token(.pushToStart(type: 0)))
    stage.advance(by: .seconds(7 * 3600))
    #expect(stage.yields().isEmpty)
    try stage.order(.open(app: nil))
    let yields = stage.yields()
    for heard: DeviceEvent in [.activityYielded(0), .tokenYielded(.update(activity: 0))] {
      #expect(yields.count { $0 == heard } == 1, "\(heard)")
    }
  }

  @Test("S167 S103: an update and an end by push change the card; only a running app gets them", arguments: lives)
  func update(_ life: AppLifecycle) throws {
    var stage = try stage(life, running: true)
    let token = try stage.token(.update(activity: 0))
    #expect(try stage.pushActivity(token, event: "update").fate.updates(0))
    #expect(stage.happened() == (life.isRunning ? [.contentYielded(0)] : []), "no update gives runtime")
    #expect(try stage.pushActivity(token, event: "end").fate.ends(0))
    #expect(stage.cards().map(\.state) == [.ended])
    #expect(stage.yields() == (life.isRunning ? [.activityStateYielded(0, .ended)] : []))
    #expect(try stage.app().life == life)
    if !life.isRunning {
      try stage.order(.open(app: nil))
      #expect(stage.yields().contains(.activityStateYielded(0, .ended)))
    }
  }

  @Test("S54: a new update token reaches the app at once, a force-quit one when it is opened", arguments: lives)
  func newToken(_ life: AppLifecycle) throws {
    var stage = try stage(life, running: true)
    let slot = TokenSlot.update(activity: 0)
    try stage.order(.rotate(.update))
    let happened = stage.happened()
    #expect(happened.count { $0 == .tokenYielded(slot) } == (life == .forceQuit ? 0 : 1))
    #expect(happened.contains(.appLaunched(.byToken)) == (!life.hasProcess && life != .forceQuit))
    guard life == .forceQuit else { return }
    try stage.order(.open(app: nil))
    #expect(stage.yieldedTokens().count { $0 == slot } == 1)
  }

  @Test("S62: a background push runs, wakes or launches the app, and is lost on a force-quit one", arguments: lives)
  func backgroundPush(_ life: AppLifecycle) throws {
    var stage = try stage(life)
    let record = try stage.push(stage.token(), body: Stage.silentBody)
    guard case .delivered(.background(let outcome)) = record.fate else {
      Issue.record("\(record.fate)")
      return
    }
    switch life {
    case .foreground, .background: #expect(outcome == .deliveredToRunning)
    case .suspended, .terminated, .crashed:
      #expect(outcome == .woken(until: stage.now.world.advanced(by: .seconds(30))))
    case .forceQuit, .neverLaunched: #expect(outcome == .discarded(.forceQuit))
    }
    let happened = stage.happened()
    #expect(happened.contains(.appLaunched(.byBackgroundPush)) == (!life.hasProcess && life != .forceQuit))
    #expect(happened.contains(.backgroundPushYielded(record.sequence)) == (life != .forceQuit))
    if life == .forceQuit {
      try stage.order(.open(app: nil))
      #expect(!stage.yields().contains(.backgroundPushYielded(record.sequence)), "lost is lost")
    }
  }

  @Test(
    "a local request needs the foreground: in the background it throws .visibility, except for an intent",
    arguments: lives)
  func localRequest(_ life: AppLifecycle) throws {
    var stage = try stage(life)
    var request = StartActivity()
    request.order.scene = life == .foreground ? .foreground : .background
    try stage.order(.start(request))
    let happened = stage.happened()
    #expect(happened.contains(.activityStarted(0, .command)) == (life == .foreground))
    #expect(happened.contains(.activityRefused(.visibility)) == (life != .foreground))
    #expect(stage.cards().count == (life == .foreground ? 1 : 0))
    guard life == .background else { return }
    request.order.scene = .intent
    try stage.order(.start(request))
    #expect(stage.happened().contains(.activityStarted(0, .command)))
  }

  @Test("runtime of a woken app is 30 s, and a second wake restarts it")
  func runtime() throws {
    var stage = try stage(.terminated)
    _ = try stage.push(stage.token(), body: Stage.silentBody)
    stage.advance(by: .seconds(20))
    _ = try stage.start(with: stage.token(.pushToStart(type: 0)))
    stage.advance(by: .seconds(29))
    #expect(try stage.app().life == .background)
    stage.advance(by: .seconds(1))
    #expect(try stage.app().life == .suspended)
  }

  @Test("a background push that waits gets its turn, also after a reinstallation has dropped one that waited")
  func turns() throws {
    var policy = Self.policy
    policy.wakes.wakes = 1
    var stage = Stage(policy: policy)
    try stage.enter(.suspended)
    func push() throws -> PushRecord {
      stage.advance(by: .seconds(60))
      return try stage.push(stage.token(), body: Stage.silentBody)
    }
    #expect(try push().fate.isWake)
    let dropped = try push()
    #expect(dropped.fate.heldUntil != nil)
    try stage.order(.uninstall(app: nil))
    #expect(stage.fate(of: dropped).discard == .appAbsent)
    stage.advance(by: .seconds(600))
    try stage.order(.reinstall(app: nil))
    #expect(try push().fate.isWake)
    let held = try push()
    let due = try #require(held.fate.heldUntil)
    stage.advance(by: stage.now.world.duration(to: due))
    #expect(stage.fate(of: held).isWake)
  }

  @Test("an app that was never launched has no token of any kind and cannot be woken")
  func neverLaunched() throws {
    var stage = Stage(policy: Self.policy)
    let old = try stage.token()
    try stage.enter(.neverLaunched)
    let app = try stage.app()
    #expect(app.deviceToken == nil && app.startTokens.isEmpty && app.services.isEmpty)
    for slot: TokenSlot in [.app, .service(.voip), .pushToStart(type: 0)] {
      let record = try stage.push(stage.token(slot), topic: Stage.app + slot.suffix.text, body: Stage.silentBody)
      #expect(record.reason == .badDeviceToken, "\(slot)")
    }
    #expect(try stage.push(old, body: Stage.silentBody).fate.discard == .orphanToken)
    stage.advance(by: .seconds(86400))
    #expect(stage.happened().isEmpty)
  }

  @Test("an app that is deleted takes its cards with it and learns nothing of it", arguments: lives)
  func deleted(_ life: AppLifecycle) throws {
    var stage = try stage(life, running: true)
    let token = try stage.token(.update(activity: 0))
    try stage.order(.uninstall(app: nil))
    #expect(stage.cards().isEmpty && stage.yields().isEmpty)
    #expect(try stage.pushActivity(token, event: "update").fate.discard == .appAbsent)
    try stage.order(.reinstall(app: nil))
    let yields = stage.yields()
    #expect(!yields.contains(.activityYielded(0)) && !yields.contains { $0.name == "activityStateYielded" })
  }

  @Test("updated, its activities and tokens remain, and content is decoded by the new version's types")
  func updated() throws {
    func schema(_ text: String) throws -> ContentSchema { try ContentSchema(JSONValue.parse(Array(text.utf8))) }
    var profile = AppProfile(bundleID: Stage.app, teamID: Stage.team, types: [AttributesType("MatchAttributes")])
    let next = try schema(#"{"type":"object","properties":{"score":"int"}}"#)
    profile.traits.nextTypes = [AttributesType("MatchAttributes", contentState: next)]
    var stage = Stage(apps: [profile], policy: Self.policy)
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let token = try stage.token(.update(activity: 0))
    #expect(try stage.pushActivity(token, event: "update").fate.updates(0))
    let before = try stage.app()
    try stage.order(.updateApp(app: nil))
    #expect(stage.cards().map(\.state) == [.active])
    #expect(try stage.pushActivity(token, event: "update").fate.cause == .contentStateDecode)
    let after = try stage.app()
    #expect(before.deviceToken == after.deviceToken)
    #expect(before.startTokens.map(\.token) == after.startTokens.map(\.token))
    #expect(try stage.pushActivity(token, event: "end").fate.cause == .contentStateDecode)
    #expect(stage.cards().map(\.state) == [.active])
  }
}
