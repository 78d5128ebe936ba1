import APNs
import Devices
import Simulation
import Testing
import Timeline

/// Background pushes from the wire to the app.
@Suite("A background push in the world")
struct BackgroundWorldTests {
  private static let silent = #"{"aps":{"content-available":1}}"#

  /// Luck plays no part.
  private func stage(_ change: (inout AppTraits) -> Void = { _ in }) -> Stage {
    var policy = Stage.quick
    policy.wakes.odds = .always
    var profile = AppProfile(bundleID: Stage.app, teamID: Stage.team)
    change(&profile.traits)
    return Stage(apps: [profile], policy: policy)
  }

  private func push(_ stage: inout Stage, _ body: String = silent) throws -> PushRecord {
    let type = body == Self.silent ? ["apns-push-type": "background", "apns-priority": "5"] : [:]
    let record = try stage.send(try stage.token(), body, type)
    #expect(record.status == 200)
    return record
  }

  private func yields(_ stage: Stage) -> [UInt64] {
    stage.story().compactMap { if case .backgroundPushYielded(let push) = $0 { push } else { nil } }
  }

  @Test("it wakes the app with any permission, and shows nothing", arguments: NotificationPermission.allCases)
  func wakes(_ permission: NotificationPermission) throws {
    var stage = stage()
    try stage.permit(permission)
    let record = try push(&stage)
    #expect(record.fate.isWake && yields(stage) == [record.sequence])
    #expect(try stage.app().life == .background && stage.screen().notifications.isEmpty)
    stage.advance(by: .seconds(30))
    #expect(try stage.app().life == .suspended)
  }

  @Test("an app that gets one while it runs has 30 seconds from then on")
  func prolonged() throws {
    var stage = stage()
    _ = try push(&stage)
    stage.advance(by: .seconds(20))
    #expect(try push(&stage).fate.wake == .deliveredToRunning)
    stage.advance(by: .seconds(29))
    #expect(try stage.app().life == .background)
    stage.advance(by: .seconds(1))
    #expect(try stage.app().life == .suspended)
  }

  @Test("an app that was force-quit is not launched by it, and the held push is discarded")
  func forceQuit() throws {
    var stage = stage()
    try stage.flip(.lowPower, true)
    let held = try push(&stage)
    #expect(held.fate.words == "Stored - Power Considerations")
    try stage.order(.forceQuit(app: nil))
    #expect(stage.fate(of: held).wake == .discarded(.forceQuit))
    try stage.flip(.lowPower, false)
    #expect(try push(&stage).fate.wake == .discarded(.forceQuit) && yields(stage).isEmpty)
    try stage.order(.reboot)
    try stage.order(.unlock)
    #expect(try push(&stage).fate.isWake, "a reboot lifts it")
  }

  @Test(
    "S63: in Low Power Mode or with refresh off it is held until that changes",
    arguments: [PhoneSwitch.lowPower, .backgroundRefresh])
  func restricted(_ what: PhoneSwitch) throws {
    var stage = stage()
    try stage.flip(what, what == .lowPower)
    let record = try push(&stage)
    stage.advance(by: .seconds(7200))
    #expect(stage.fates(of: record).count == 1)
    try stage.flip(what, what != .lowPower)
    #expect(stage.fate(of: record).isWake && yields(stage) == [record.sequence])
  }

  @Test("S63: the fourth within an hour is held until its end; of held pushes the newest is kept")
  func throttled() throws {
    var stage = stage()
    for _ in 0..<3 {
      #expect(try push(&stage).fate.isWake)
      stage.advance(by: .seconds(60))
    }
    let fourth = try push(&stage)
    let fifth = try push(&stage)
    #expect(stage.fate(of: fourth) == .discarded(.replaced))
    #expect(fifth.fate.heldUntil == Stage.began.advanced(by: .seconds(3600)))
    stage.advance(by: .seconds(3600))
    #expect(stage.fate(of: fifth).isWake)
  }

  @Test("opening the app delivers the held push at once")
  func opening() throws {
    var stage = stage()
    for _ in 0..<3 {
      _ = try push(&stage)
      stage.advance(by: .seconds(60))
    }
    let held = try push(&stage)
    try stage.order(.open(app: nil))
    #expect(stage.fate(of: held).wake == .deliveredToRunning && yields(stage).last == held.sequence)
  }

  @Test("without the background mode it is dropped")
  func noMode() throws {
    var stage = stage { $0.backgroundPushes = false }
    #expect(try push(&stage).fate.wake == .discarded(.noBackgroundMode))
  }

  @Test("an alert with content-available is shown once and has one fate, whatever the wake's fate is")
  func alertWithWork() throws {
    for what in ["later", "open", "superseded", "force-quit", "uninstall"] {
      var stage = stage()
      try stage.flip(.lowPower, true)
      let record = try push(&stage, #"{"aps":{"alert":"B","content-available":1}}"#)
      #expect(record.fate.shown?.shape == .banner)
      switch what {
      case "later": try stage.flip(.lowPower, false)
      case "open": try stage.order(.open(app: nil))
      case "superseded": _ = try push(&stage)
      case "force-quit": try stage.order(.forceQuit(app: nil))
      default: try stage.order(.uninstall(app: nil))
      }
      #expect(stage.fates(of: record).count == 1, "\(what)")
      #expect(yields(stage) == (what == "later" || what == "open" ? [record.sequence] : []), "\(what)")
    }
  }

  @Test("a push held for power longer than the retention of APNs is dropped")
  func givenUp() throws {
    var stage = stage()
    try stage.flip(.lowPower, true)
    let record = try push(&stage)
    stage.advance(by: .seconds(30 * 24 * 3600) - .nanoseconds(1))
    #expect(stage.fates(of: record).count == 1)
    stage.advance(by: .nanoseconds(1))
    #expect(stage.fate(of: record).isFinal && stage.fates(of: record).count == 2)
    try stage.flip(.lowPower, false)
    #expect(stage.fates(of: record).count == 2 && yields(stage).isEmpty)
  }

  @Test(
    "S62: of 1,000 phones, 600 to 700 are woken by their first background push, in any order of pushes the same")
  func share() throws {
    func woken(_ order: [UInt32]) throws -> Set<UInt32> {
      var stage = Stage(devices: 1000)
      var woken: Set<UInt32> = []
      for device in order {
        let record = try stage.send(
          try stage.token(on: device), Self.silent, ["apns-push-type": "background", "apns-priority": "5"])
        if record.fate.isWake { woken.insert(device) }
        _ = stage.events()
      }
      return woken
    }
    let forwards = try woken(Array(0..<1000))
    #expect((600...700).contains(forwards.count))
    #expect(try woken((0..<1000).reversed()) == forwards)
  }
}
