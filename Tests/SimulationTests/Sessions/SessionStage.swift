import APNs
import Devices
import Scenarios
import Simulation
import Testing
import Timeline
import WireFormats

/// A simulator with three provider keys, two apps and a connection for each key.
struct SessionStage {
  static let keys = ["KEY0000001", "KEY0000002", "KEY0000003"]
  static let app = Stage.app
  static let other = "com.example.other"

  var simulator: Simulator
  var now = Now(Stage.began)
  /// The events that were shown to the readers last.
  var latest: [WorldEvent] = []
  private var stream: Int32 = -1

  init(devices: UInt32 = 20, seed: UInt64 = 1, pushLog: Int = 1000) {
    let apps = [
      AppProfile(bundleID: Self.app, teamID: Stage.team, attributesTypes: ["MatchAttributes"]),
      AppProfile(bundleID: Self.other, teamID: Stage.team),
    ]
    let keys = Self.keys.map { ProviderKey(keyID: $0, teamID: Stage.team, environments: [.sandbox, .production]) }
    let ring = KeyRing(keys: keys, apps: apps.map { ($0.bundleID, $0.teamID) }) { _, _, signature in
      signature == .raw([UInt8](repeating: 7, count: 64))
    }
    var plan = FleetPlan(
      devices: devices, seed: seed, apps: apps, mix: [.init(OSVersion(26, 1), parts: 1)], phones: .ideal,
      policy: Stage.quick)
    plan.budget = Stage.atOnce
    var clock = WorldClock()
    clock.stand(at: Stage.began)
    simulator = Simulator(
      world: World(plan, rulebook: Stage.unhurried, keyRing: ring, at: Stage.began), clock: clock,
      pushLogCapacity: pushLog)
    for number in keys.indices {
      simulator.world.connectionOpened(Self.connection(number), to: .sandbox, peer: "127.0.0.1:50001", at: now)
    }
    settle()
  }

  static func connection(_ key: Int) -> ProviderConnectionID { ProviderConnectionID(UInt64(key + 1)) }

  static func authorization(key: String, signature: UInt8 = 7) -> String {
    let parts = [#"{"alg":"ES256","kid":"\#(key)"}"#, #"{"iss":"PUSHPIT001","iat":1700000000}"#].map { Array($0.utf8) }
    let texts = (parts + [[UInt8](repeating: signature, count: 64)]).map { Base64URL.encode($0) }
    return "bearer " + texts.joined(separator: ".")
  }

  mutating func settle() { simulator.settle(into: &latest) }

  mutating func advance(by duration: Duration) {
    now = Now(world: now.world.advanced(by: duration), wall: now.wall)
    simulator.world.advance(to: now)
    settle()
  }

  // MARK: - Sessions

  static func scope(keys: [Int]? = nil, topics: [String]? = nil, devices: [UInt32]? = nil) throws -> Filter {
    var scope = Filter()
    scope.keys = keys?.map { Filter.Key(id: Self.keys[$0], number: $0) }
    scope.topics = try topics?.map { try #require(SessionTopic($0)) }
    scope.devices = devices?.map { DeviceID($0) }
    return scope
  }

  mutating func open(
    _ name: String, keys: [Int]? = nil, topics: [String]? = nil, devices: [UInt32]? = nil, pushLog: Int = 1000,
    expect: [Simulation.Expectation] = []
  ) throws {
    var order = SessionRequest()
    order.name = name
    order.scope = try Self.scope(keys: keys, topics: topics, devices: devices)
    order.pushLog = pushLog
    order.expect(expect, apps: simulator.readers.sessions.apps)
    _ = try simulator.openSession(order, at: now)
  }

  mutating func close(_ name: String) throws -> TestSession {
    try simulator.closeSession(name, at: now.world)
  }

  func session(_ name: String) throws -> TestSession { try simulator.readers.sessions.session(name) }

  /// The numbers of the pushes that a session has, in order.
  func pushes(_ name: String) throws -> [UInt64] {
    try session(name).pushLog.list(.init(), before: nil, limit: 100_000).pushes.map(\.sequence).reversed()
  }

  // MARK: - Pushes

  func token(_ device: UInt32, app: Int = 0, slot: TokenSlot = .app) throws -> String {
    try #require(simulator.world.fleet.token(DeviceID(device), app: app, slot: slot)).text
  }

  /// Sends a push, shows it to the readers, and gives its record.
  @discardableResult
  mutating func push(
    _ device: UInt32, key: Int = 0, app: Int = 0, token: String? = nil, authorization: String?? = .none,
    expiration: String? = nil
  ) throws -> PushRecord {
    stream += 2
    var fields = [(name: "apns-topic", value: app == 0 ? Self.app : Self.other)]
    if let value = authorization ?? Self.authorization(key: Self.keys[key]) {
      fields.append((name: "authorization", value: value))
    }
    if let expiration { fields.append((name: "apns-expiration", value: expiration)) }
    let path = "/3/device/" + (try token ?? self.token(device, app: app))
    simulator.world.receive(
      HTTPRequest("POST", path, fields: fields, body: Array(#"{"aps":{"alert":"Out \#(stream)!"}}"#.utf8)),
      on: StreamID(Self.connection(key), stream), at: now)
    settle()
    return try #require(simulator.readers.logs.pushLog.list(.init(), before: nil, limit: 1).pushes.first)
  }

  /// Sends a push to a Live Activity of the first app.
  @discardableResult
  mutating func push(_ device: UInt32, slot: TokenSlot, activity event: String) throws -> PushRecord {
    stream += 2
    let fields = [
      (name: "apns-topic", value: Self.app + ".push-type.liveactivity"),
      (name: "apns-push-type", value: "liveactivity"),
      (name: "authorization", value: Self.authorization(key: Self.keys[0])),
    ]
    let body = #"{"aps":{"timestamp":\#(now.world.seconds + 1),"event":"\#(event)","content-state":{"score":1}}}"#
    simulator.world.receive(
      HTTPRequest("POST", "/3/device/" + (try token(device, slot: slot)), fields: fields, body: Array(body.utf8)),
      on: StreamID(Self.connection(0), stream), at: now)
    settle()
    return try #require(simulator.readers.logs.pushLog.list(.init(), before: nil, limit: 1).pushes.first)
  }

  mutating func order(_ action: DeviceAction, on device: UInt32) throws {
    try simulator.world.perform(.device(DeviceID(device), action), at: now)
    settle()
  }

  mutating func set(_ fault: Fault, for name: String) throws {
    try simulator.world.perform(.setFault(fault.bound(to: session(name))), at: now)
    settle()
  }
}
