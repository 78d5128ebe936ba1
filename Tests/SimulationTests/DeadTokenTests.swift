import APNs
import Devices
import Simulation
import Testing
import Timeline

/// Answers of APNs for a dead token, by every cause and under every setting.
@Suite("A dead token")
struct DeadTokenTests {
  private static let slot = TokenSlot.update(activity: 0)

  /// Ways to end an activity early, and whether each removes its app.
  static let endings: [(name: String, action: DeviceAction, isAppAway: Bool)] = [
    ("its app ends it", .endActivity(nil, app: nil), false), ("swipe", .swipe(nil, app: nil), false),
    ("the system", .evict(nil, app: nil), false), ("uninstall", .uninstall(app: nil), true),
    ("restore", .restore, false), ("switched off", .flip(.liveActivities, on: false, app: nil), false),
    ("all switched off", .flip(.allLiveActivities, on: false, app: nil), false),
    ("frequent updates switched", .flip(.frequentUpdates, on: false, app: nil), false),
  ]

  private func stage(_ change: (inout DevicePolicy) -> Void = { _ in }) throws -> (Stage, token: String) {
    var policy = Stage.quick
    change(&policy)
    var stage = Stage(policy: policy)
    try stage.order(.startActivity(app: nil, attributesType: nil))
    return (stage, try stage.token(Self.slot))
  }

  @Test("S22 S145 S116: the token of an ended activity is 410 after a minute, at once, or never, by the setting")
  func activityOver() throws {
    for ending in Self.endings {
      for delay: Int64? in [60, 0, 3600, nil] {
        var (stage, token) = try stage { $0.deadActivityNotice = delay.map { .seconds($0) } }
        try stage.order(ending.action)
        let over = stage.now.world
        let comment = Comment("\(ending.name), \(delay.map { "\($0) s" } ?? "never")")
        for second: Int64 in [0, 59, 60, 3599, 3600, 7 * 3600] {
          stage.advance(by: stage.now.world.duration(to: over.advanced(by: .seconds(second))))
          let record = try stage.pushActivity(token, event: "update")
          if let delay, delay <= second {
            let rejection = record.answer.rejection
            #expect(rejection?.reason == .unregistered, comment)
            #expect(rejection?.since == over.advanced(by: .seconds(delay)), comment)
          } else {
            #expect(record.status == 200, comment)
            #expect(record.fate.discard == (ending.isAppAway ? .appAbsent : .activityOver), comment)
          }
        }
        stage.advance(by: .seconds(3600))
        let last = try stage.pushActivity(token, event: "update")
        #expect(last.reason == (delay == nil ? .expiredToken : .unregistered), comment)
        #expect(stage.cards().allSatisfy { $0.state == .ended }, comment)
      }
    }
  }

  @Test("S55 S52: a rotated update token is orphaned until its grace period ends, and 410 from then on")
  func rotatedUpdate() throws {
    for grace: Int64 in [0, 60, 3600] {
      var (stage, token) = try stage { $0.updateTokenGrace = .seconds(grace) }
      try stage.order(.rotate(.update))
      let rotated = stage.now.world
      if grace > 0 {
        for second in [0, grace - 1] {
          stage.advance(by: stage.now.world.duration(to: rotated.advanced(by: .seconds(second))))
          #expect(try stage.pushActivity(token, event: "update").fate.discard == .orphanToken, "\(grace) s")
        }
      }
      stage.advance(by: stage.now.world.duration(to: rotated.advanced(by: .seconds(grace))))
      let rejection = try stage.pushActivity(token, event: "update").answer.rejection
      #expect(rejection?.reason == .unregistered && rejection?.since == rotated.advanced(by: .seconds(grace)))
    }
  }

  @Test("S35 S66: a rotated push-to-start token is orphaned until its grace period ends, and 410 from then on")
  func rotatedStart() throws {
    for days: Int64 in [0, 1, 30] {
      var policy = Stage.quick
      policy.startTokenGrace = .seconds(days * 86400)
      var stage = Stage(policy: policy)
      let token = try stage.token(.pushToStart(type: 0))
      try stage.order(.rotate(.pushToStart))
      let rotated = stage.now.world
      for day in 0..<days {
        let record = try stage.start(with: token)
        #expect(record.status == 200 && record.fate.discard == .orphanToken, "day \(day) of \(days)")
        stage.advance(by: .seconds(86400))
      }
      let rejection = try stage.start(with: token).answer.rejection
      #expect(rejection?.reason == .unregistered && rejection?.since == rotated.advanced(by: .seconds(days * 86400)))
      #expect(stage.cards().isEmpty)
    }
  }

  @Test("S57: a device token is orphaned after a rotation, a restore or another major iOS, and 410 later")
  func deviceToken() throws {
    var policy = Stage.quick
    policy.uninstallNotice = .seconds(7200)...(.seconds(7200))
    for action: DeviceAction in [.rotate(.device), .restore, .updateSystem(OSVersion(27, 0))] {
      var stage = Stage(policy: policy)
      let old = try stage.token()
      try stage.order(action)
      _ = stage.events()
      if try stage.app().life != .foreground { try stage.order(.open(app: nil)) }
      let new = try stage.token()
      #expect(new != old && stage.yieldedTokens().contains(.app), "\(action)")
      #expect(try stage.push(new).fate.isDelivered)
      stage.advance(by: .seconds(86400))
      // Nothing but a push tells APNs.
      let pushed = stage.now.world
      #expect(try stage.push(old).fate.discard == .orphanToken, "\(action)")
      stage.advance(by: .milliseconds(7_199_999))
      #expect(try stage.push(old).status == 200)
      stage.advance(by: .milliseconds(1))
      let rejection = try stage.push(old).answer.rejection
      #expect(
        rejection?.reason == .unregistered && rejection?.since == pushed.advanced(by: .seconds(7200)), "\(action)")
      #expect(try stage.push(new).fate.isDelivered)
    }
  }

  @Test("S22 S57: every token of a deleted app is app-absent at first, and 410 later, from the same instant")
  func appAbsent() throws {
    var policy = Stage.quick
    policy.uninstallNotice = .seconds(7200)...(.seconds(7200))
    for slot: TokenSlot in [.app, .service(.voip), .pushToStart(type: 0)] {
      var stage = Stage(policy: policy)
      let topic = Stage.app + slot.suffix.text
      let token = try stage.token(slot)
      try stage.order(.uninstall(app: nil))
      let record = try stage.push(token, topic: topic)
      #expect(record.status == 200 && record.fate.discard == .appAbsent)
      #expect(PushStory(record).lines.contains { $0.cause == "app-absent" })
      stage.advance(by: .seconds(7200))
      let rejection = try stage.push(token, topic: topic).answer.rejection
      #expect(rejection?.reason == .unregistered && rejection?.since == stage.now.world)
      stage.advance(by: .seconds(86400))
      #expect(try stage.push(token, topic: topic).answer.rejection == rejection)
    }
  }

  @Test("S57: installed again in time, the old one stays orphaned, for every kind of token")
  func reinstalled() throws {
    for slot: TokenSlot in [.app, .service(.voip), .pushToStart(type: 0)] {
      var stage = Stage()
      let topic = Stage.app + slot.suffix.text
      let old = try stage.token(slot)
      try stage.order(.uninstall(app: nil))
      _ = try stage.push(old, topic: topic)
      try stage.order(.reinstall(app: nil))
      for _ in 0..<3 {
        stage.advance(by: .seconds(86400 * 30))
        let record = try stage.push(old, topic: topic)
        #expect(record.status == 200 && record.fate.discard == .orphanToken)
        #expect(PushStory(record).lines.contains { $0.cause == "orphan-token" })
      }
    }
  }

  @Test("a push that is stored for an offline phone reports a dead token only when the push arrives")
  func offline() throws {
    let causes: [(DeviceAction, Fate.Discard)] = [(.uninstall(app: nil), .appAbsent), (.rotate(.device), .orphanToken)]
    for (action, cause) in causes {
      var stage = Stage()
      let token = try stage.token()
      try stage.order(.goOffline)
      try stage.order(action)
      let record = try stage.push(token)
      #expect(record.fate == .stored(.offline))
      try stage.order(.goOnline)
      let settled = stage.events().compactMap { event -> Fate? in
        guard case .pushSettled(record.sequence, _, let fate, _) = event else { return nil }
        return fate
      }
      #expect(settled == [.discardedFromStorage(cause)])
    }
  }

  @Test("an update of iOS within a major version changes no token, and a reboot only by a setting")
  func nothingChanges() throws {
    for action: DeviceAction in [.updateSystem(OSVersion(26, 2)), .reboot, .updateApp(app: nil)] {
      var stage = Stage()
      let before = try stage.app()
      try stage.order(action)
      #expect(try stage.relaunch().isEmpty == false)
      let after = try stage.app()
      #expect(before.deviceToken == after.deviceToken)
      #expect(before.startTokens.map(\.token) == after.startTokens.map(\.token))
    }
    var policy = Stage.quick
    policy.startTokens.rotatesOnReboot = true
    var stage = Stage(policy: policy)
    let old = try stage.token(.pushToStart(type: 1))
    try stage.order(.reboot)
    #expect(try stage.relaunch().contains(.pushToStart(type: 1)))
    #expect(try stage.token(.pushToStart(type: 1)) != old)
  }

  @Test("a deleted app, and one that was never opened, has no token that could rotate")
  func nothingToRotate() throws {
    var policy = Stage.quick
    policy.startTokens.rotatesOnReboot = true
    var stage = Stage(policy: policy)
    try stage.order(.uninstall(app: nil))
    _ = stage.events()
    try stage.order(.reboot)
    #expect(!stage.happened().contains { $0.slot != nil })
    try stage.order(.reinstall(app: nil, opens: false))
    let next = try stage.token()
    for kind: TokenKind in [.device, .pushToStart, .service(.voip)] {
      #expect(throws: CommandProblem.self) { try stage.order(.rotate(kind)) }
    }
    try stage.order(.open(app: nil))
    #expect(try stage.token() == next && stage.push(next).fate.isDelivered)
  }

  @Test("denied notifications do not kill tokens: 200, and only the Live Activity is shown")
  func permissionDenied() throws {
    var stage = Stage()
    try stage.order(.permit(.denied, app: nil))
    let record = try stage.push(try stage.token())
    #expect(record.status == 200 && record.fate.words == "Discarded - Disabled")
    #expect(stage.world.screen(of: DeviceID(0), at: stage.now.world).notifications.isEmpty)
    #expect(try stage.start(with: stage.token(.pushToStart(type: 0))).fate.starts(0))
    #expect(stage.cards().count == 1)
  }
}
