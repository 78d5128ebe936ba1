import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// A small world with one provider connected to each environment, and short words for what tests do to it.
struct Stage {
  static let began = Instant(seconds: 1_700_000_000)
  static let team = "PUSHPIT001"
  static let app = "com.example.app"
  static let store = "com.example.store"
  static let activityTopic = app + ".push-type.liveactivity"

  static let profiles = [
    AppProfile(bundleID: app, teamID: team, attributesTypes: ["MatchAttributes", "RaceAttributes"]),
    AppProfile(bundleID: store, teamID: team, build: .production, attributesTypes: ["MatchAttributes"]),
  ]

  /// Habits without waiting: no question under the card, tokens and wakes at once.
  static let quick: DevicePolicy = {
    var policy = DevicePolicy()
    policy.timing = .none
    policy.prompt.policy = .never
    return policy
  }()

  /// Budgets as they are, and every content drawn at once.
  static let atOnce: BudgetPlan = {
    var plan = BudgetPlan()
    plan.rendering.from18 = .zero...(.zero)
    plan.rendering.before18 = .zero...(.zero)
    return plan
  }()

  /// Makes each Live Activity push newer than the one before, whatever the clock.
  private var activityPushes: Int64 = 0

  static let sandbox = ProviderConnectionID(1)
  static let production = ProviderConnectionID(2)

  var world: World
  /// Only the world's clock is moved; provider tokens stay fresh.
  var now = Now(began)
  private var stream: Int32 = -1
  /// The way in which pushes reach the world.
  enum Way: CaseIterable {
    case request
    /// As one push to many devices, written to another of them; tokens that were not made from the seed come as requests.
    case shared
    /// Examined by their connection, as far as it may.
    case examined
  }

  var way = Way.request
  /// Pushes that did come that way.
  var pushesThatWay = 0
  /// The state of the connections that validate their pushes.
  var providers: [ProviderConnectionID: ProviderConnection] = [:]
  /// For a tape, once `record` was called.
  private(set) var batches: [TapeBatch] = []

  init(
    devices: UInt32 = 100, seed: UInt64 = 1, os: OSVersion? = OSVersion(26, 1), apps: [AppProfile] = profiles,
    phones: PhoneMix = .ideal, policy: DevicePolicy = quick, budget: BudgetPlan = atOnce,
    store: PushStore.Plan = PushStore.Plan(), reports: ReportRegistry.Plan = ReportRegistry.Plan(),
    rulebook: Rulebook = Rulebook(), cell: Cell? = nil,
    keys: [ProviderKey] = [key], at instant: Instant = began
  ) {
    let seal = ProviderToken.Signature.raw([UInt8](repeating: 7, count: 64))
    let ring = KeyRing(
      keys: keys, apps: apps.map { ($0.bundleID, $0.teamID) },
      read: { publicKey -> KeyRing.KeyCheck? in
        if publicKey.isEmpty { return nil }
        return { _, signature in signature == seal }
      }
    ) { _, _, signature in
      signature == seal
    }
    var plan = FleetPlan(
      devices: devices, seed: seed, apps: apps, mix: os.map { [.init($0, parts: 1)] } ?? FleetPlan.standardMix,
      phones: phones, policy: policy)
    plan.budget = budget
    plan.store = store
    plan.reports = reports
    plan.cell = cell
    now = Now(world: instant, wall: Self.began)
    world = World(plan, rulebook: rulebook, keyRing: ring, at: instant)
    world.connectionOpened(Self.sandbox, to: .sandbox, peer: "127.0.0.1:50001", at: now)
    world.connectionOpened(Self.production, to: .production, peer: "127.0.0.1:50002", at: now)
    _ = events()
  }

  static let key = ProviderKey(keyID: "KEY0000001", teamID: team, environments: [.sandbox, .production])

  static let authorization = authorization(of: "KEY0000001")

  static func authorization(of keyID: String) -> String {
    let parts = [#"{"alg":"ES256","kid":"\#(keyID)"}"#, #"{"iss":"PUSHPIT001","iat":1700000000}"#].map {
      Array($0.utf8)
    }
    let texts = (parts + [[UInt8](repeating: 7, count: 64)]).map { Base64URL.encode($0) }
    return "bearer " + texts.joined(separator: ".")
  }

  // MARK: - Doing

  mutating func advance(by duration: Duration) {
    now = Now(world: now.world.advanced(by: duration), wall: now.wall)
    world.advance(to: now)
  }

  mutating func order(_ action: DeviceAction, on device: UInt32 = 0) throws {
    try world.perform(.device(DeviceID(device), action), at: now)
  }

  mutating func register(
    _ text: String, on device: UInt32 = 0, app: String = Stage.app, _ kind: TokenKind = .device, type: String? = nil
  ) throws {
    let token = try #require(DeviceToken(text))
    try world.perform(
      .register(token, DeviceID(device), app: app, kind, attributesType: type, activity: nil), at: now)
  }

  /// Sends a push and gives its record; the events are left in the world.
  mutating func push(
    _ token: String, topic: String = Stage.app, id: String? = nil, body: String = #"{"aps":{"alert":"Out!"}}"#,
    on connection: ProviderConnectionID = Stage.sandbox
  ) throws -> PushRecord {
    stream += 2
    var fields = [(name: "apns-topic", value: topic), (name: "authorization", value: Self.authorization)]
    if let id { fields.append((name: "apns-id", value: id)) }
    world.receive(
      HTTPRequest("POST", "/3/device/" + token, fields: fields, body: Array(body.utf8)),
      on: StreamID(connection, stream), at: now)
    let pushes = world.recent.compactMap { event -> PushRecord? in
      if case .push(let record) = event { record } else { nil }
    }
    return try #require(pushes.last)
  }

  /// A sound Live Activity push: each is newer than the one before.
  mutating func pushActivity(_ token: String, event: String, type: String? = nil) throws -> PushRecord {
    activityPushes += 1
    let seconds = now.world.seconds + activityPushes
    let name = type.map { #","attributes-type":"\#($0)""# } ?? ""
    let start = event == "start" ? #","attributes":{},"alert":{"title":"Go","body":"!"}"# : ""
    return try push(
      token, topic: Self.activityTopic,
      body: #"{"aps":{"timestamp":\#(seconds),"event":"\#(event)","content-state":{}\#(name)\#(start)}}"#)
  }

  mutating func events() -> [WorldEvent] {
    var list: [WorldEvent] = []
    world.takeEvents(into: &list)
    if world.output.recordsCalls { batches.append(TapeBatch(calls: world.takeRecordedCalls(), events: list)) }
    return list
  }

  /// Keeps from now on what a tape would; gives the world as it is before.
  mutating func record() -> World {
    _ = events()
    let before = world
    world.output.recordsCalls = true
    return before
  }

  /// The events of phones, except those of the app and its owner.
  mutating func happenings() -> [WorldEvent] {
    events().filter { event in
      guard case .phone(_, _, let deviceEvent, _) = event else { return false }
      return deviceEvent.process != .app && deviceEvent.process != .springboard
    }
  }

  // MARK: - Asking

  func token(_ slot: TokenSlot = .app, on device: UInt32 = 0, app: Int = 0) throws -> String {
    try #require(world.fleet.token(DeviceID(device), app: app, slot: slot)).text
  }

  func view(_ device: UInt32 = 0) throws -> DeviceView { try #require(world.device(DeviceID(device), at: now.world)) }

  func app(_ device: UInt32 = 0) throws -> DeviceView.App { try #require(try view(device).apps.first) }
}

extension World {
  /// The events that have not been taken.
  var recent: [WorldEvent] {
    var copy = self
    var list: [WorldEvent] = []
    copy.takeEvents(into: &list)
    return list
  }
}

extension PushRecord {
  var status: Int { answer.status }
  var reason: RejectionReason? { answer.rejection?.reason }
}

extension Fate {
  /// The reason why the phone dropped the push; nil if it did not.
  var cause: DropCause? { if case .dropped(let cause, _)? = reaction { cause } else { nil } }

  var isDelivered: Bool { reaction != nil }
  var isDiscarded: Bool { discard != nil }

  func starts(_ number: UInt32) -> Bool { if case .started(number, _)? = reaction { true } else { false } }
  func updates(_ number: UInt32) -> Bool { if case .updated(number, _, _)? = reaction { true } else { false } }

  func ends(_ number: UInt32) -> Bool {
    if case .ended(number, _, _, _)? = reaction { true } else { false }
  }
}
