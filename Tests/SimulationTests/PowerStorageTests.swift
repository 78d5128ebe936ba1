import APNs
import Devices
import Simulation
import Testing
import Timeline

/// Pushes that APNs stores for the power of a connected phone.
///
/// Documented: "Viewing the status of push notifications using metrics and APNs": what has expired is discarded instead
/// of stored, a stored push waits for the connection and the end of the restriction, and a push whose token is no
/// longer active is discarded.
@Suite("A push kept for the phone's power")
struct PowerStorageTests {
  /// The ways to be kept, each on a locked phone with an activity.
  enum Kind: CaseIterable {
    case update, alert5, alert1, lowPower, refreshOff, throttled

    var cause: String {
      switch self {
      case .update, .alert5, .alert1: "low-priority"
      case .lowPower: "low-power-mode"
      case .refreshOff: "background-refresh-off"
      case .throttled: "background-throttled"
      }
    }

    var isBackground: Bool { self == .lowPower || self == .refreshOff || self == .throttled }
  }

  private static let silent = #"{"aps":{"content-available":1}}"#

  /// A phone that keeps pushes of that kind for at least a minute.
  private func stage(_ kind: Kind) throws -> Stage {
    var policy = Stage.quick
    policy.wakes.odds = .always
    var budget = Stage.atOnce
    budget.lowPriority.locked = .seconds(120)...(.seconds(120))
    var stage = Stage(policy: policy, budget: budget)
    try stage.launch()
    // The start has woken the app.
    stage.advance(by: .seconds(60))
    switch kind {
    case .update, .alert5, .alert1: break
    case .lowPower: try stage.flip(.lowPower, true)
    case .refreshOff: try stage.flip(.backgroundRefresh, false)
    case .throttled:
      for _ in 0..<3 {
        #expect(try push(.throttled, &stage).fate.isWake)
        stage.advance(by: .seconds(60))
      }
    }
    return stage
  }

  /// - Parameter expiration: seconds since 1970.
  private func push(_ kind: Kind, _ stage: inout Stage, expiration: Int64? = nil) throws -> PushRecord {
    var headers = expiration.map { ["apns-expiration": "\($0)"] } ?? [:]
    switch kind {
    case .update:
      headers["apns-priority"] = "5"
      return try stage.pushActivity(
        "update", spoilt: ["timestamp": stage.nextTimestamp(), "content-state": #"{"score":7}"#], headers)
    case .alert5, .alert1:
      headers["apns-priority"] = kind == .alert5 ? "5" : "1"
      return try stage.send(try stage.token(), #"{"aps":{"alert":"A"}}"#, headers)
    case .lowPower, .refreshOff, .throttled:
      headers["apns-priority"] = "5"
      headers["apns-push-type"] = "background"
      return try stage.send(try stage.token(), Self.silent, headers)
    }
  }

  /// The restriction ends.
  private func release(_ kind: Kind, _ stage: inout Stage) throws {
    switch kind {
    case .update, .alert5: stage.advance(by: .seconds(120))
    case .alert1: try stage.flip(.charging, true)
    case .lowPower: try stage.flip(.lowPower, false)
    case .refreshOff: try stage.flip(.backgroundRefresh, true)
    case .throttled: stage.advance(by: .seconds(3600))
    }
  }

  @Test("a push stored for power reports its cause in its fate, in its story and in filters", arguments: Kind.allCases)
  func cause(_ kind: Kind) throws {
    var stage = try stage(kind)
    let record = try push(kind, &stage)
    #expect(record.fate.words == "Stored - Power Considerations" && record.fate.causes == [kind.cause])
    let line = try #require(try stage.story(of: record).last)
    #expect(line.event == "stored" && line.cause == kind.cause && line.evidence != nil)
  }

  @Test("a push stored for power is discarded when it expires before its release", arguments: Kind.allCases)
  func expires(_ kind: Kind) throws {
    var stage = try stage(kind)
    let expiration = stage.now.world.seconds + 30
    let record = try push(kind, &stage, expiration: expiration)
    #expect(record.fate.words == "Stored - Power Considerations")
    if !kind.isBackground {
      #expect(try stage.story(of: record).last?.sentence.hasSuffix("for at most 30s") ?? false)
    }
    stage.advance(by: .seconds(30) - .nanoseconds(1))
    #expect(stage.fates(of: record).count == 1)
    stage.advance(by: .nanoseconds(1))
    #expect(stage.fate(of: record) == .discarded(.expired))
    try release(kind, &stage)
    #expect(stage.fates(of: record).count == 2 && stage.score() == 0 && stage.screen().notifications.isEmpty)
  }

  @Test(
    "at priority 1 waits as long as the phone sleeps, and then until it is in use or charges", arguments: [true, false])
  func sleeping(_ charges: Bool) throws {
    var stage = try stage(.alert1)
    let record = try push(.alert1, &stage)
    stage.advance(by: .seconds(86_400))
    #expect(stage.fate(of: record).words == "Stored - Power Considerations")
    #expect(try stage.story(of: record).last?.sentence.hasPrefix("priority 1 does not wake the phone") ?? false)
    if charges { try stage.flip(.charging, true) } else { try stage.order(.lightScreen) }
    #expect(stage.fate(of: record).words == "Delivered to Device (From Storage)")
  }

  @Test("a push is not stored for power if it has expired already or may be tried only once", arguments: Kind.allCases)
  func neverStored(_ kind: Kind) throws {
    for (expiration, fate) in [(0, Fate.discarded(.notStored)), (1_000, .discarded(.expired))] as [(Int64, Fate)] {
      var stage = try stage(kind)
      let record = try push(kind, &stage, expiration: expiration)
      #expect(record.status == 200 && record.fate == fate, "\(expiration)")
      try release(kind, &stage)
      #expect(stage.fates(of: record).count == 1)
    }
  }

  @Test("one that may be tried only once replaces nothing that is kept", arguments: Kind.allCases)
  func replacesNothing(_ kind: Kind) throws {
    var stage = try stage(kind)
    let kept = try push(kind, &stage)
    _ = try push(kind, &stage, expiration: 0)
    try release(kind, &stage)
    #expect(stage.fate(of: kept).words == "Delivered to Device (From Storage)")
  }

  @Test(
    "a push with expiration 0 reaches a phone at once if the phone is in use or charging",
    arguments: [Kind.update, .alert5, .alert1])
  func once(_ kind: Kind) throws {
    for charges in [true, false] {
      var stage = try stage(kind)
      if charges { try stage.flip(.charging, true) } else { try stage.order(.lightScreen) }
      let record = try push(kind, &stage, expiration: 0)
      #expect(record.fate.words == "Delivered to Device" && record.fate.hold == nil)
    }
  }

  @Test("waits for the connection: it is released when the phone is back", arguments: Kind.allCases)
  func offline(_ kind: Kind) throws {
    var stage = try stage(kind)
    let record = try push(kind, &stage)
    try stage.order(.goOffline)
    try release(kind, &stage)
    try stage.order(.lightScreen)
    if kind.isBackground { try stage.order(.open(app: nil)) }
    stage.advance(by: .seconds(600))
    #expect(stage.fates(of: record).count == 1 && stage.score() == 0 && stage.screen().notifications.isEmpty)
    try stage.order(.goOnline)
    #expect(stage.fate(of: record).words == "Delivered to Device (From Storage)")
    switch kind {
    case .update: #expect(stage.score() == 7)
    case .alert5, .alert1: #expect(stage.screen().notifications.count == 1)
    case .lowPower, .refreshOff, .throttled: #expect(stage.story().contains(.backgroundPushYielded(record.sequence)))
    }
  }

  @Test("expires while its phone is offline, and at the latest with APNs' storage", arguments: Kind.allCases)
  func expiresOffline(_ kind: Kind) throws {
    // An activity does not live that long.
    let longest: [(Int64?, Duration)] = kind == .update ? [] : [(nil, .seconds(30 * 24 * 3600))]
    for (expiration, wait) in [(30, .seconds(30))] + longest {
      var stage = try stage(kind)
      let record = try push(kind, &stage, expiration: expiration.map { stage.now.world.seconds + $0 })
      try stage.order(.goOffline)
      stage.advance(by: wait - .nanoseconds(1))
      #expect(stage.fates(of: record).count == 1, "\(wait)")
      stage.advance(by: .nanoseconds(1))
      #expect(stage.fate(of: record) == .discarded(.expired), "\(wait)")
      try stage.order(.goOnline)
      #expect(stage.fates(of: record).count == 2)
    }
  }

  @Test("a push stored for power is discarded with its token if its app is deleted meanwhile", arguments: Kind.allCases)
  func deleted(_ kind: Kind) throws {
    var stage = try stage(kind)
    let record = try push(kind, &stage)
    try stage.order(.uninstall(app: nil))
    #expect(stage.fate(of: record) == .discardedFromStorage(.appAbsent))
    #expect(stage.fate(of: record).words == "Discarded - Token Unregistered (From Storage)")
    let line = try #require(try stage.story(of: record).last)
    #expect(line.cause == "app-absent" && line.sentence.contains("deleted while APNs kept the push"))
    try stage.order(.reinstall(app: nil))
    try release(kind, &stage)
    #expect(stage.fates(of: record).count == 2)
  }

  @Test("a push stored for power is discarded with its token if its activity ends meanwhile")
  func ended() throws {
    var stage = try stage(.update)
    let record = try push(.update, &stage)
    try stage.order(.swipe(nil, app: nil))
    #expect(stage.fate(of: record) == .discardedFromStorage(.activityOver))
    let line = try #require(try stage.story(of: record).last)
    #expect(line.sentence.contains("ended while APNs kept the push") && line.evidence?.kind == .documented)
  }

  @Test("a push stored for power is discarded by a restore, with its activity if it has one, else with its app")
  func restored() throws {
    var (stage, record) = (try stage(.update), nil as PushRecord?)
    record = try push(.update, &stage)
    try stage.order(.restore)
    #expect(stage.fate(of: try #require(record)) == .discardedFromStorage(.activityOver))
    stage = try self.stage(.alert5)
    record = try push(.alert5, &stage)
    try stage.order(.restore)
    #expect(stage.fate(of: try #require(record)) == .discardedFromStorage(.appAbsent))
  }

  @Test(
    "a push stored for power that a newer background push replaces is never delivered",
    arguments: [Kind.lowPower, .refreshOff, .throttled])
  func replaced(_ kind: Kind) throws {
    var stage = try stage(kind)
    let older = try push(kind, &stage)
    let newer = try push(kind, &stage)
    #expect(stage.fate(of: older).words == "Discarded - Replaced" && stage.fate(of: older).causes == ["superseded"])
    try release(kind, &stage)
    #expect(stage.fate(of: newer).isWake)
  }

  @Test("what is on the phone already needs neither connection nor time")
  func onPhone() throws {
    var budget = Stage.atOnce
    budget.update.standardCapacity = 1
    budget.update.overflow = .coalesce(.seconds(60)...(.seconds(60)))
    var stage = Stage(budget: budget)
    try stage.launch()
    try stage.update(1)
    let over = try stage.pushActivity(
      "update", spoilt: ["timestamp": stage.nextTimestamp(), "content-state": #"{"score":2}"#],
      ["apns-expiration": "\(stage.now.world.seconds + 30)"])
    #expect(over.fate.hold == .budget)
    try stage.order(.goOffline)
    stage.advance(by: .seconds(60))
    #expect(stage.fate(of: over).isUpdate && stage.score() == 2)
  }
}
