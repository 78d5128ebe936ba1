import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@Suite("How long a token lives")
struct TokenLifeTests {
  @Test("S22, S57: after an uninstall 200, and 410 between 1 and 24 hours after the first push, with the millisecond")
  func uninstall() throws {
    for device: UInt32 in 0..<20 {
      var stage = Stage()
      let token = try stage.token(on: device)
      #expect(try stage.push(token).fate.isDelivered)
      try stage.order(.uninstall(app: Stage.app), on: device)
      stage.advance(by: .seconds(86400 * 30))
      let first = try stage.push(token)
      #expect(first.status == 200 && first.fate.isDiscarded)
      let pushed = stage.now.world
      stage.advance(by: .milliseconds(3_599_999))
      #expect(try stage.push(token).status == 200)
      var gone: PushRecord?
      while gone == nil, stage.now.world < pushed.advanced(by: .seconds(25 * 3600)) {
        stage.advance(by: .seconds(60))
        let record = try stage.push(token)
        if record.status == 410 { gone = record }
      }
      let rejection = try #require(gone?.answer.rejection)
      let since = try #require(rejection.since)
      #expect(rejection.reason == .unregistered && rejection.rule == .deviceTokenRegistered)
      #expect(since >= pushed.advanced(by: .seconds(3600)) && since <= pushed.advanced(by: .seconds(86400)))
      #expect(since <= stage.now.world && since > stage.now.world.advanced(by: .seconds(-60)))
      let body = try #require(gone?.answer.response.body)
      #expect(String(decoding: body, as: UTF8.self) == #"{"reason":"Unregistered","timestamp":\#(since.milliseconds)}"#)
      stage.advance(by: .seconds(86400))
      #expect(try stage.push(token).answer.rejection == rejection)
    }
  }

  @Test("the delay after an uninstall differs by device, and is the same in each run")
  func delaysDiffer() throws {
    func notice(_ device: UInt32, seed: UInt64 = 1) throws -> Instant {
      var stage = Stage(seed: seed)
      let token = try stage.token(on: device)
      try stage.order(.uninstall(app: Stage.app), on: device)
      _ = try stage.push(token)
      stage.advance(by: .seconds(86400))
      return try #require(try stage.push(token).answer.rejection?.since)
    }
    let notices = try (0..<30).map { try notice($0) }
    #expect(Set(notices).count == 30)
    #expect(try (0..<30).map { try notice($0) } == notices)
    #expect(try notice(0, seed: 2) != notices[0])
  }

  @Test("without a push after the uninstall APNs never learns of it")
  func noPushNoNotice() throws {
    var stage = Stage()
    let token = try stage.token()
    try stage.order(.uninstall(app: nil))
    stage.advance(by: .seconds(86400 * 365))
    #expect(try stage.push(token).status == 200)
  }

  @Test("S57: installed again before APNs has noticed, the old token stays answered 200 and the new one works")
  func reinstall() throws {
    for pushes in 0..<2 {
      var stage = Stage()
      let old = try stage.token()
      try stage.order(.uninstall(app: nil))
      for _ in 0..<pushes { _ = try stage.push(old) }
      stage.advance(by: .seconds(600))
      try stage.order(.reinstall(app: nil))
      let new = try stage.token()
      #expect(new != old)
      for days in [0, 1, 30, 400] {
        stage.advance(by: .seconds(86400 * days))
        let record = try stage.push(old)
        #expect(record.status == 200 && record.fate.isDiscarded)
        #expect(try stage.push(new).fate.isDelivered)
      }
    }
  }

  @Test("installed again after APNs has noticed, the old token stays 410")
  func reinstallTooLate() throws {
    var stage = Stage()
    let old = try stage.token()
    try stage.order(.uninstall(app: nil))
    _ = try stage.push(old)
    stage.advance(by: .seconds(86400))
    try stage.order(.reinstall(app: nil))
    #expect(try stage.push(old).reason == .unregistered)
  }

  @Test("the token that the app will have after a reinstall is unknown before it")
  func nextTokenIsNotYetIssued() throws {
    for slot: TokenSlot in [.app, .service(.voip), .pushToStart(type: 0)] {
      var stage = Stage()
      let topic = Stage.app + slot.suffix.text
      try stage.order(.uninstall(app: nil))
      let next = try stage.token(slot)
      #expect(try stage.push(next, topic: topic).reason == .badDeviceToken)
      try stage.order(.reinstall(app: nil))
      #expect(try stage.token(slot) == next)
      let record = try stage.push(next, topic: topic)
      #expect(record.status == 200 && record.fate.isDiscarded == false)
    }
  }

  @Test("S57: a rotated device token is answered like one of an uninstalled app")
  func rotateDevice() throws {
    var stage = Stage()
    let old = try stage.token()
    try stage.order(.rotate(.device, app: nil, attributesType: nil, activity: nil))
    let new = try stage.token()
    #expect(new != old)
    #expect(try stage.push(new).fate.isDelivered)
    #expect(try stage.push(old).fate.isDiscarded)
    stage.advance(by: .seconds(86400))
    #expect(try stage.push(old).reason == .unregistered)
    #expect(try stage.push(new).status == 200)
  }

  @Test("S57: device tokens do not expire by time")
  func neverExpires() throws {
    var stage = Stage()
    let token = try stage.token()
    stage.advance(by: .seconds(86400 * 3650))
    #expect(try stage.push(token).fate.isDelivered)
  }

  @Test("a rotated push-to-start token is answered 200 for a day, then 410")
  func rotateStart() throws {
    var stage = Stage()
    let old = try stage.token(.pushToStart(type: 0))
    try stage.order(.rotate(.pushToStart, app: nil, attributesType: nil, activity: nil))
    let issued = stage.now.world
    #expect(try stage.pushActivity(old, event: "start", type: "MatchAttributes").fate.isDiscarded)
    stage.advance(by: .milliseconds(86_399_999))
    #expect(try stage.pushActivity(old, event: "start").status == 200)
    stage.advance(by: .milliseconds(1))
    let rejection = try stage.pushActivity(old, event: "start").answer.rejection
    #expect(rejection?.reason == .unregistered && rejection?.since == issued.advanced(by: .seconds(86400)))
    let new = try stage.token(.pushToStart(type: 0))
    #expect(
      try stage.pushActivity(new, event: "start", type: "MatchAttributes").fate.starts(0))
  }

  @Test("a rotated update token is answered 200 for a minute, then 410; the new one works at once")
  func rotateUpdate() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let old = try stage.token(.update(activity: 0))
    try stage.order(.rotate(.update, app: nil, attributesType: nil, activity: nil))
    let new = try stage.token(.update(activity: 0))
    #expect(try stage.pushActivity(old, event: "update").fate.isDiscarded)
    #expect(try stage.pushActivity(new, event: "update").fate.updates(0))
    stage.advance(by: .milliseconds(59_999))
    #expect(try stage.pushActivity(old, event: "update").status == 200)
    stage.advance(by: .milliseconds(1))
    #expect(try stage.pushActivity(old, event: "update").reason == .unregistered)
    #expect(try stage.pushActivity(new, event: "update").status == 200)
  }

  @Test("S22, S51: an update token is valid until 8 hours to the millisecond, then 410 ExpiredToken since that instant")
  func eightHours() throws {
    var stage = Stage()
    stage.advance(by: .milliseconds(123))
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let token = try stage.token(.update(activity: 0))
    let expiry = stage.now.world.advanced(by: .seconds(28_800))
    stage.advance(by: .milliseconds(28_799_999))
    #expect(try stage.pushActivity(token, event: "update").fate.updates(0))
    stage.advance(by: .milliseconds(1))
    let rejection = try #require(try stage.pushActivity(token, event: "update").answer.rejection)
    #expect(rejection.reason == .expiredToken && rejection.since == expiry && expiry.milliseconds % 1000 == 123)
    stage.advance(by: .seconds(86400 * 60))
    #expect(try stage.pushActivity(token, event: "update").answer.rejection == rejection)
  }

  @Test("S22: the token of an ended activity is 410 after a minute while the phone is online")
  func endedOnline() throws {
    for byPush in [true, false] {
      var stage = Stage()
      try stage.order(.startActivity(app: nil, attributesType: nil))
      let token = try stage.token(.update(activity: 0))
      if byPush {
        #expect(try stage.pushActivity(token, event: "end").fate.ends(0))
      } else {
        try stage.order(.endActivity(nil, app: nil))
      }
      let ended = stage.now.world
      #expect(try stage.pushActivity(token, event: "update").fate.isDiscarded)
      stage.advance(by: .milliseconds(59_999))
      #expect(try stage.pushActivity(token, event: "update").status == 200)
      stage.advance(by: .milliseconds(1))
      let rejection = try stage.pushActivity(token, event: "update").answer.rejection
      #expect(rejection?.reason == .unregistered && rejection?.since == ended.advanced(by: .seconds(60)))
    }
  }

  @Test("the token of an activity that ended offline is never 410 before the phone is back")
  func endedOffline() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let token = try stage.token(.update(activity: 0))
    try stage.order(.goOffline)
    try stage.order(.endActivity(nil, app: nil))
    stage.advance(by: .seconds(3600))
    #expect(try stage.pushActivity(token, event: "update").fate == .stored(.offline))
    try stage.order(.goOnline)
    stage.advance(by: .seconds(59))
    #expect(try stage.pushActivity(token, event: "update").status == 200)
    stage.advance(by: .seconds(1))
    #expect(try stage.pushActivity(token, event: "update").reason == .unregistered)
  }

  @Test("as a setting, the token of an ended activity is answered 200 until its eight hours are over")
  func endedButNeverNoticed() throws {
    var policy = Stage.quick
    policy.deadActivityNotice = nil
    var stage = Stage(policy: policy)
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let token = try stage.token(.update(activity: 0))
    try stage.order(.endActivity(nil, app: nil))
    for _ in 0..<7 {
      stage.advance(by: .seconds(3600))
      let record = try stage.pushActivity(token, event: "update")
      #expect(record.status == 200 && record.fate.isDiscarded)
    }
  }

  @Test("the tokens of activities die with their app, those of another app do not")
  func uninstallEndsActivities() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: Stage.app, attributesType: nil))
    let token = try stage.token(.update(activity: 0))
    _ = stage.events()
    try stage.order(.uninstall(app: Stage.app))
    #expect(
      stage.happenings() == [
        .phone(DeviceID(0), app: 0, .activityEnded(0, .appRemoved), at: stage.now.world),
        .phone(DeviceID(0), app: 0, .activityDismissed(0), at: stage.now.world),
      ])
    #expect(try stage.pushActivity(token, event: "update").fate.isDiscarded)
    stage.advance(by: .seconds(60))
    #expect(try stage.pushActivity(token, event: "update").reason == .unregistered)
    let other = try stage.token(app: 1)
    #expect(try stage.push(other, topic: Stage.store, on: Stage.production).fate.isDelivered)
  }

  @Test("pushes to an offline phone are stored, and APNs learns nothing of an uninstall")
  func offlineTellsNothing() throws {
    var stage = Stage()
    let token = try stage.token()
    try stage.order(.goOffline)
    #expect(try stage.push(token).fate == .stored(.offline))
    try stage.order(.uninstall(app: nil))
    #expect(try stage.push(token).fate == .stored(.offline))
    stage.advance(by: .seconds(86400 * 2))
    #expect(try stage.push(token).status == 200)
    try stage.order(.goOnline)
    #expect(try stage.push(token).fate.isDiscarded)
    stage.advance(by: .seconds(86400))
    #expect(try stage.push(token).reason == .unregistered)
  }
}
