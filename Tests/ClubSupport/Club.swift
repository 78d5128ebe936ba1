import APNs
import Configuration
import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

/// A small world whose phones have one app by a profile, and a backend that answers as a test says.
struct Club {
  /// A call that has reached the backend.
  struct Call {
    let device: UInt32
    let line: String
    let body: JSONValue?
    let headers: [String: String]
    let at: Instant
  }

  static let began = Instant(seconds: 1_700_000_000)
  private static let team = "PUSHPIT001"
  private static let connection = ProviderConnectionID(1)

  var world: World
  let bundleID: String
  private(set) var now = Now(began)
  private var stream: Int32 = 1
  private var pushed: PushRecord?
  private var logs = EventLogs(pushLogCapacity: 100, audits: true)
  /// Calls that have reached the backend, in their order.
  private(set) var calls: [Call] = []
  /// The ends of calls, in their order.
  private(set) var ends: [CallEnd] = []
  /// Calls that nobody has answered yet.
  private(set) var open: [CallRecord] = []
  /// The answer of the backend; nil for none.
  var answer: (Call) -> CallOutcome? = { _ in .answered(status: 200, body: nil) }
  private(set) var troubles: [ClientTrouble] = []
  private(set) var happened: [(device: UInt32, what: DeviceEvent, at: Instant)] = []

  /// - Parameter profile: the name of a shipped profile, or YAML.
  init(
    _ profile: String = "sightscreen", devices: UInt32 = 1, seed: UInt64 = 1, os: OSVersion = OSVersion(26, 1),
    phones: PhoneMix = .ideal, policy: DevicePolicy = Club.quick, reports: ReportRegistry.Plan = Club.calm
  ) throws {
    var app =
      profile.contains("\n")
      ? try ShippedProfile.read(profile, named: "test.yaml") : try ShippedProfile.load(profile, place: "test")
    app.reports?.backend = "http://127.0.0.1:8080"
    bundleID = app.profile.bundleID
    var plan = reports
    plan.apps = [app.reports]
    let key = ProviderKey(keyID: "KEY0000001", teamID: Self.team, environments: [.sandbox, .production])
    var rulebook = Rulebook()
    rulebook.updateTokenRate = nil
    // What is drawn when is another matter.
    var budget = BudgetPlan()
    budget.rendering.from18 = .zero...(.zero)
    budget.rendering.before18 = .zero...(.zero)
    var fleet = FleetPlan(
      devices: devices, seed: seed, apps: [app.profile], mix: [.init(os, parts: 1)], phones: phones, policy: policy)
    fleet.budget = budget
    fleet.reports = plan
    world = World(
      fleet, rulebook: rulebook,
      keyRing: KeyRing(keys: [key], apps: [(app.profile.bundleID, Self.team)]) { _, _, _ in true }, at: Self.began)
    world.connectionOpened(Self.connection, to: .sandbox, peer: "test", at: now)
    settle()
  }

  /// Habits without waiting: no question under the card, tokens and wakes at once.
  static let quick: DevicePolicy = {
    var policy = DevicePolicy()
    policy.timing = .none
    policy.prompt.policy = .never
    return policy
  }()

  /// Nothing goes wrong, and nobody opens apps by themselves.
  static let calm: ReportRegistry.Plan = {
    var plan = ReportRegistry.Plan()
    plan.opensWithin = nil
    return plan
  }()

  // MARK: - Doing

  mutating func advance(by duration: Duration) {
    // Second by second, so that answers come while the phone waits for them.
    var left = duration
    while left > .zero {
      let step = min(left, .seconds(1))
      now = Now(world: now.world.advanced(by: step), wall: now.wall)
      world.advance(to: now)
      settle()
      left -= step
    }
  }

  /// Lets time pass at one go: answers are taken at its end only.
  mutating func skip(_ duration: Duration) {
    now = Now(world: now.world.advanced(by: duration), wall: now.wall)
    world.advance(to: now)
    settle()
  }

  mutating func order(_ action: DeviceAction, on device: UInt32 = 0) throws {
    try world.perform(.device(DeviceID(device), action), at: now)
    settle()
  }

  mutating func use(_ action: String, _ arguments: JSONValue = ["matchId": "m1"], on device: UInt32 = 0) throws {
    try order(.use(action, app: nil, arguments: arguments.members ?? []), on: device)
  }

  /// Ends a call that was kept waiting.
  mutating func end(_ call: CallRecord, _ outcome: CallOutcome) throws {
    open.removeAll { $0.number == call.number }
    try world.perform(.answer(call.number, outcome), at: now)
    settle()
  }

  /// A cold launch by the person.
  mutating func launch(on device: UInt32 = 0) throws {
    let life = world.fleet.phone(DeviceID(device)).installs[0].life
    if life.hasProcess { try order(.terminate(app: nil), on: device) }
    try order(.open(app: nil), on: device)
  }

  /// Sends a Live Activity push and gives its record.
  @discardableResult
  mutating func push(
    _ token: String, _ event: String, timestamp: Int64? = nil, priority: String = "10", more: String = "",
    suffix: String = ".push-type.liveactivity", body: String? = nil, headers: [String: String] = [:]
  ) throws -> PushRecord {
    let start =
      #","attributes-type":"MatchAttributes","attributes":{"matchId":"m1"},"alert":{"title":"Go","body":"!"}"#
    let payload =
      body ?? #"{"aps":{"timestamp":\#(timestamp.map { "\($0)" } ?? newest),"event":"\#(event)","content-state":"#
      + #"{"matchDisplayState":"live","compactLeading":{"teamAbbr":"MI","score":"1/0"},"#
      + #""compactTrailing":{"overs":"0.1","runRate":"6"}\#(more)}\#(event == "start" ? start : "")}}"#
    stream += 2
    var fields = [
      (name: "apns-topic", value: bundleID + suffix), (name: "authorization", value: Self.authorization),
      (name: "apns-priority", value: priority),
    ]
    fields += headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    world.receive(
      HTTPRequest("POST", "/3/device/" + token, fields: fields, body: Array(payload.utf8)),
      on: StreamID(Self.connection, stream), at: now)
    settle()
    return try #require(pushed)
  }

  /// A timestamp later than that of the push before, whatever the clock.
  var newest: String { "\(now.world.seconds).\(String(1_000_002 + stream).dropFirst())" }

  private static let authorization: String = {
    let parts = [#"{"alg":"ES256","kid":"KEY0000001"}"#, #"{"iss":"PUSHPIT001","iat":1700000000}"#].map {
      Array($0.utf8)
    }
    let texts = (parts + [[UInt8](repeating: 7, count: 64)]).map { Base64URL.encode($0) }
    return "bearer " + texts.joined(separator: ".")
  }()

  /// Takes what has happened, and lets the backend answer until there is nothing to answer.
  private mutating func settle() {
    for _ in 0..<10_000 {
      var events: [WorldEvent] = []
      world.takeEvents(into: &events)
      guard !events.isEmpty else { return }
      logs.read(events)
      for event in events { take(event) }
    }
    Issue.record("the app and its backend do not come to an end")
  }

  private mutating func take(_ event: WorldEvent) {
    switch event {
    case .phone(let device, _, let deviceEvent, let at): happened.append((device.number, deviceEvent, at))
    case .push(let record): pushed = record
    case .trouble(let trouble): troubles.append(trouble)
    case .callEnded(let end):
      ends.append(end)
      open.removeAll { $0.number == end.number }
    case .call(let record):
      let call = Call(
        device: record.device.number, line: record.call.method + " " + record.call.url.dropFirst(21),
        body: record.call.body.flatMap { try? JSONValue.parse(Array($0.utf8)) },
        headers: Dictionary(uniqueKeysWithValues: record.call.headers.map { ($0.name, $0.value) }), at: record.at)
      calls.append(call)
      if let outcome = answer(call) {
        _ = try? world.perform(.answer(record.number, outcome), at: now)
      } else {
        open.append(record)
      }
    default: break
    }
  }

  // MARK: - Looking

  mutating func forget() {
    calls = []
    ends = []
    happened = []
  }

  /// The findings of an audit of the whole day.
  var findings: [AuditFinding.Kind] { logs.auditor?.findings.map(\.kind) ?? [] }

  var lines: [String] { calls.map(\.line) }

  func count(_ line: String) -> Int { calls.count { $0.line == line } }

  func token(_ slot: TokenSlot, on device: UInt32 = 0) throws -> String {
    try #require(world.fleet.token(DeviceID(device), app: 0, slot: slot)).text
  }

  func cards(on device: UInt32 = 0) -> [Screen.Card] { world.screen(of: DeviceID(device), at: now.world).cards }

  func bell(_ key: String = "m1", on device: UInt32 = 0) -> BellIcon {
    world.screen(of: DeviceID(device), at: now.world).bells.first { $0.key == key }?.bell ?? .empty
  }

  static let live = CallOutcome.answered(
    status: 200,
    body: [
      "live": true, "title": "MI v CSK",
      "state": [
        "matchDisplayState": "live", "compactLeading": ["teamAbbr": "MI", "score": "0/0"],
        "compactTrailing": ["overs": "0.0", "runRate": "0"],
      ],
    ])
}
