import APNs
import Devices
import Simulation
import Testing
import Timeline

/// The stale-token problem, and the three layers by which a backend comes to a fresh token.
@Suite("Layers of token recovery")
struct TokenLayerTests {
  private static let start = TokenSlot.pushToStart(type: 0)

  private func wakesAlways() -> DevicePolicy {
    var policy = Stage.quick
    policy.wakes.odds = .always
    return policy
  }

  @Test(
    "S61: rotated while the app has no process, and the app does not learn of it",
    arguments: [AppLifecycle.terminated, .forceQuit])
  func rotatedUnseen(_ life: AppLifecycle) throws {
    var stage = Stage()
    let known = try stage.token(Self.start)
    try stage.enter(life)
    try stage.order(.rotate(.pushToStart))
    stage.advance(by: .seconds(3600 * 23))
    #expect(stage.yields().isEmpty)
    #expect(try stage.app().life == life)
    // What the backend knows leads nowhere, and nothing tells it so.
    let record = try stage.start(with: known)
    #expect(record.status == 200 && record.fate.discard == .orphanToken)
    #expect(stage.cards().isEmpty && stage.yields().isEmpty)
    #expect(try stage.relaunch().contains(Self.start))
    #expect(try stage.start(with: stage.token(Self.start)).fate.starts(0))
  }

  @Test("S61 S62: a silent push lets the terminated app report it, and not the force-quit one")
  func silentPushAfterRotation() throws {
    for (life, isHelped) in [(AppLifecycle.terminated, true), (.forceQuit, false)] {
      var stage = Stage(policy: wakesAlways())
      try stage.enter(life)
      try stage.order(.rotate(.pushToStart))
      _ = try stage.push(stage.token(), body: Stage.silentBody)
      #expect(stage.yieldedTokens().contains(Self.start) == isHelped)
    }
  }

  @Test("S62: of 1,000 devices 600 to 700 report a token after a silent push", arguments: 1...5)
  func layerOne(_ seed: UInt64) throws {
    var stage = Stage(devices: 1000, seed: seed)
    try stage.orderAll(.terminate(app: nil))
    _ = stage.events()
    for device: UInt32 in 0..<1000 {
      let record = try stage.push(stage.token(on: device), body: Stage.silentBody)
      #expect(record.status == 200)
    }
    let reports = stage.devices { $0 == .tokenYielded(Self.start) }
    #expect((600...700).contains(reports.count), "seed \(seed): \(reports.count)")
    #expect(reports.values.allSatisfy { $0 == 1 })
  }

  @Test("S62: a suspended app is woken as often, and gets the push itself")
  func layerOneSuspended() throws {
    var stage = Stage(devices: 1000)
    for device: UInt32 in 0..<1000 { _ = try stage.push(stage.token(on: device), body: Stage.silentBody) }
    let woken = stage.devices { if case .backgroundPushYielded = $0 { true } else { false } }
    #expect((600...700).contains(woken.count))
  }

  @Test("S63: the fourth within an hour is held, a newer one replaces it, and the hour's end delivers that")
  func throttle() throws {
    var stage = Stage(policy: wakesAlways())
    func push(_ stage: inout Stage) throws -> PushRecord {
      let record = try stage.push(stage.token(), body: Stage.silentBody)
      stage.advance(by: .seconds(60))
      return record
    }
    let first = stage.now.world
    for _ in 0..<3 {
      let record = try push(&stage)
      #expect(stage.yields() == [.backgroundPushYielded(record.sequence)])
    }
    let fourth = try push(&stage)
    #expect(fourth.status == 200)
    #expect(fourth.fate == .stored(.power(.throttled, until: first.advanced(by: .seconds(3600)))))
    let fifth = try push(&stage)
    let superseded = Fate.discarded(.replaced)
    #expect(stage.yieldsAndFates().fates == [fourth.sequence: superseded])
    stage.advance(by: stage.now.world.duration(to: first.advanced(by: .milliseconds(3_599_999))))
    #expect(stage.yields().isEmpty)
    stage.advance(by: .milliseconds(1))
    let late = stage.yieldsAndFates()
    #expect(late.yields == [.backgroundPushYielded(fifth.sequence)])
    #expect(late.fates.keys.sorted() == [fifth.sequence])
    #expect(try push(&stage).fate.isDelivered, "a new hour has begun")
  }

  @Test("S63: in Low Power Mode, or with refresh off, it is held until that changes")
  func powerSaving() throws {
    for (what, off) in [(PhoneSwitch.lowPower, true), (.backgroundRefresh, false)] {
      var stage = Stage(policy: wakesAlways())
      try stage.order(.flip(what, on: off, app: nil))
      _ = stage.events()
      let record = try stage.push(stage.token(), body: Stage.silentBody)
      stage.advance(by: .seconds(86400))
      #expect(stage.yields().isEmpty, "\(what)")
      try stage.order(.flip(what, on: !off, app: nil))
      #expect(stage.yields() == [.backgroundPushYielded(record.sequence)], "\(what)")
    }
  }

  @Test("S63: opening the app delivers the held push at once, force-quitting it discards it")
  func heldUntilOpened() throws {
    for opens in [true, false] {
      var policy = Stage.quick
      policy.wakes.wakes = 0
      var stage = Stage(policy: policy)
      let record = try stage.push(stage.token(), body: Stage.silentBody)
      _ = stage.events()
      try stage.order(opens ? .open(app: nil) : .forceQuit(app: nil))
      let come = stage.yieldsAndFates()
      #expect(come.yields == (opens ? [.backgroundPushYielded(record.sequence)] : []))
      let outcome: BackgroundWakes.Outcome = opens ? .deliveredToRunning : .discarded(.forceQuit)
      #expect(come.fates == [record.sequence: .deliveredFromStorage(.background(outcome))])
    }
  }

  @Test("S63: an app that is never used is never woken, one that is always used is woken every time")
  func engagement() throws {
    for (odds, expected) in [(Odds.never, 0), (.always, 100)] {
      var policy = Stage.quick
      policy.wakes.odds = odds
      var stage = Stage(devices: 100, policy: policy)
      for device: UInt32 in 0..<100 { _ = try stage.push(stage.token(on: device), body: Stage.silentBody) }
      #expect(stage.devices { if case .backgroundPushYielded = $0 { true } else { false } }.count == expected)
    }
  }

  @Test("S64 S169: 410, a visible alert, a tap: the app opens, yields its tokens, and the start shows within 3 s")
  func layerTwo() throws {
    for life: AppLifecycle in [.suspended, .terminated, .forceQuit, .crashed] {
      var stage = Stage()
      let known = try stage.token(Self.start)
      try stage.enter(life)
      try stage.order(.rotate(.pushToStart))
      stage.advance(by: .seconds(86400))
      #expect(try stage.start(with: known).reason == .unregistered)

      _ = try stage.push(try stage.token())
      let screen = stage.world.screen(of: DeviceID(0), at: stage.now.world)
      #expect(screen.notifications.map(\.text.alert.body) == ["Out!"] && screen.notifications.first?.isBanner == true)
      #expect(stage.yieldedTokens().isEmpty, "an alert wakes nobody")

      let tapped = stage.now.world
      try stage.order(.tapNotification(nil, app: nil))
      let happened = stage.happened()
      #expect(happened.contains(.appForegrounded) && happened.contains(.tokenYielded(Self.start)), "\(life)")
      #expect(try !stage.view().condition.contains(.locked) && stage.app().life == .foreground)
      #expect(try stage.start(with: stage.token(Self.start)).fate.starts(0))
      let card = try #require(stage.cards().first)
      #expect(tapped.duration(to: card.startedAt) <= .seconds(3), "\(life)")
      #expect(stage.world.screen(of: DeviceID(0), at: stage.now.world).notifications.isEmpty)
    }
  }

  @Test(
    "S64: a person who has denied notifications, or was not asked, has nothing to tap",
    arguments: [
      NotificationPermission.denied, .notDetermined,
    ])
  func layerTwoDenied(_ permission: NotificationPermission) throws {
    var stage = Stage()
    try stage.order(.permit(permission, app: nil))
    _ = try stage.push(try stage.token())
    #expect(throws: CommandProblem.self) { try stage.order(.tapNotification(nil, app: nil)) }
    #expect(try stage.app().life == .suspended)
  }

  @Test("S65: opening the app registers it, on every phone from iOS 18 and after any obstacle")
  func layerThree() throws {
    var stage = Stage(devices: 500, os: OSVersion(18, 0), phones: PhoneMix())
    for device: UInt32 in 0..<500 where try stage.app(device).life.hasProcess {
      try stage.order([.terminate(app: nil), .crash(app: nil), .forceQuit(app: nil)][Int(device % 3)], on: device)
    }
    try stage.orderAll(.rotate(.pushToStart))
    _ = stage.events()
    try stage.orderAll(.open(app: nil))
    let reports = stage.devices { $0 == .tokenYielded(Self.start) }
    #expect(reports.count == 500 && reports.values.allSatisfy { $0 == 1 })
  }

  @Test("S66: between two starts the token has changed: the second works only with the new one")
  func secondStart() throws {
    var stage = Stage()
    let first = try stage.token(Self.start)
    #expect(try stage.start(with: first).fate.starts(0))
    #expect(try stage.pushActivity(stage.token(.update(activity: 0)), event: "end").fate.ends(0))
    try stage.order(.rotate(.pushToStart))
    #expect(try stage.start(with: first).fate.discard == .orphanToken)
    #expect(stage.cards().count == 1)
    #expect(try stage.start(with: stage.token(Self.start)).fate.starts(1))
    #expect(stage.cards().count == 2)
    stage.advance(by: .seconds(86400))
    #expect(try stage.start(with: first).reason == .unregistered)
  }

  @Test("S60: the list of live tokens is exactly what a backend should keep, whatever happened before")
  func expectedState() throws {
    var stage = Stage(devices: 8)
    for device: UInt32 in 0..<6 { try stage.order(.startActivity(app: nil, attributesType: nil), on: device) }
    try stage.order(.rotate(.update), on: 1)
    try stage.order(.swipe(nil, app: nil), on: 2)
    try stage.order(.uninstall(app: nil), on: 3)
    try stage.order(.restore, on: 4)
    try stage.order(.rotate(.pushToStart), on: 5)
    try stage.order(.updateSystem(OSVersion(27, 0)), on: 6)
    var filter = Filter()
    filter.app = Stage.app
    let listed = stage.world.tokens(filter, from: .init(device: 0, skip: 0), limit: 1000, at: stage.now.world).tokens
    #expect(listed.contains { !$0.isLive } && listed.contains { $0.isLive })
    for token in listed where token.kind != .service(.voip) {
      let event = token.kind == .pushToStart ? "start" : "update"
      let record =
        token.kind == .device
        ? try stage.push(token.token)
        : try stage.pushActivity(token.token, event: event, type: token.attributesType)
      #expect(record.fate.isDelivered == token.isLive, "\(token.kind) on \(token.device.text)")
    }
  }
}

extension Stage {
  /// The elements that the first app has received, and the later fates of earlier pushes, since events were taken last.
  fileprivate mutating func yieldsAndFates() -> (yields: [DeviceEvent], fates: [UInt64: Fate]) {
    var yields: [DeviceEvent] = []
    var fates: [UInt64: Fate] = [:]
    for event in events() {
      switch event {
      case .phone(_, 0, let deviceEvent, _) where deviceEvent.name.hasSuffix("Yielded"): yields.append(deviceEvent)
      case .pushSettled(let number, _, let fate, _): fates[number] = fate
      default: break
      }
    }
    return (yields, fates)
  }
}
