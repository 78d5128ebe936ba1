import APNs
import Configuration
import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

/// A world made from settings alone, with one phone and a provider.
struct SettingsWorld {
  static let began = Instant(seconds: 1_700_000_000)
  static let app = "com.example.app"
  static let device = DeviceID(0)
  private static let provider = ProviderConnectionID(1)
  private static let manager = ProviderConnectionID(2)

  private var world: World
  private(set) var now = Now(began)
  private var stream: Int32 = 1
  /// The `iat` of its provider tokens.
  var issuedAt = began.seconds

  /// - Parameters:
  ///   - pairs: keys of settings with their values.
  ///   - yaml: other keys of `fleet`, as YAML.
  init(_ pairs: [(key: String, value: String)], fleet yaml: String = "{}") throws {
    var settings = try Settings(yaml: "fleet: \(yaml)")
    let usual = [
      ("fleet.devices", "1"), ("fleet.ideal", "true"), ("fleet.os", "26.1:1"), ("prompt.policy", "never"),
      ("timing.immediate", "true"),
    ]
    for (key, value) in usual + pairs { try settings.set(key, to: value) }
    let plan = settings.plan
    let key = ProviderKey(keyID: "KEY0000001", teamID: FleetPlan.standardTeam, environments: [.sandbox])
    world = World(
      plan, rulebook: settings.rulebook, channels: settings.channelRules,
      keyRing: KeyRing(keys: [key], apps: plan.apps.map { ($0.bundleID, $0.teamID) }) { _, _, _ in true },
      at: Self.began)
    world.connectionOpened(Self.provider, to: .sandbox, peer: "test", at: now)
    world.connectionOpened(Self.manager, to: .sandbox, peer: "test", managesChannels: true, at: now)
  }

  mutating func advance(by duration: Duration) {
    now = Now(now.world.advanced(by: duration))
    world.advance(to: now)
  }

  mutating func order(_ action: DeviceAction) throws {
    try world.perform(.device(Self.device, action), at: now)
  }

  /// Sends a push to a token of the first app.
  mutating func push(
    _ slot: TokenSlot = .app, _ body: String = #"{"aps":{"alert":"A"}}"#, topic: String = app, type: String = "alert"
  ) throws -> PushRecord {
    let fields = [(name: "apns-topic", value: topic), (name: "apns-push-type", value: type)]
    let path = try "/3/device/" + token(slot)
    for event in receive(path, fields, body, on: Self.provider) {
      if case .push(let record) = event { return record }
    }
    throw Missing()
  }

  /// Starts a Live Activity whose alert has a sound.
  @discardableResult
  mutating func start() throws -> PushRecord {
    let body = """
      {"aps":{"timestamp":\(now.world.seconds),"event":"start","attributes-type":"MatchAttributes","attributes":{},\
      "content-state":{},"alert":{"title":"Go","body":"!","sound":"default"}}}
      """
    return try push(.pushToStart(type: 0), body, topic: Self.app + ".push-type.liveactivity", type: "liveactivity")
  }

  /// Creates a channel; its id is nil if that is rejected.
  mutating func makeChannel() throws -> (status: Int, id: String?) {
    let body = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
    let answer = try channels("/1/apps/\(Self.app)/channels", [], body, on: Self.manager)
    return (answer.status, answer.fields["apns-channel-id"])
  }

  /// The status of a broadcast without a priority.
  mutating func broadcast(on channel: String) throws -> Int {
    let fields = [
      (name: "apns-channel-id", value: channel), (name: "apns-expiration", value: "0"),
      (name: "apns-push-type", value: "liveactivity"),
    ]
    let body = #"{"aps":{"timestamp":\#(now.world.seconds),"event":"update","content-state":{}}}"#
    return try channels("/4/broadcasts/apps/\(Self.app)", fields, body, on: Self.provider).status
  }

  private mutating func channels(
    _ path: String, _ fields: [(name: String, value: String)], _ body: String, on connection: ProviderConnectionID
  ) throws -> HTTPResponse {
    for event in receive(path, fields, body, on: connection) {
      if case .channels(let record) = event { return record.answer.response }
    }
    throw Missing()
  }

  private mutating func receive(
    _ path: String, _ fields: [(name: String, value: String)], _ body: String, on connection: ProviderConnectionID
  ) -> [WorldEvent] {
    stream += 2
    let header = #"{"alg":"ES256","kid":"KEY0000001"}"#
    let claims = #"{"iss":"\#(FleetPlan.standardTeam)","iat":\#(issuedAt)}"#
    let parts = [Array(header.utf8), Array(claims.utf8), [UInt8](repeating: 7, count: 64)]
    let jwt = parts.map { Base64URL.encode($0) }.joined(separator: ".")
    var old: [WorldEvent] = []
    world.takeEvents(into: &old)
    world.receive(
      HTTPRequest(
        "POST", path, fields: [(name: "authorization", value: "bearer " + jwt)] + fields, body: Array(body.utf8)),
      on: StreamID(connection, stream), at: now)
    var events: [WorldEvent] = []
    world.takeEvents(into: &events)
    return events
  }

  /// The screen now, or after a time in which nothing happens.
  func screen(after wait: Duration = .zero) -> Screen {
    world.screen(of: Self.device, at: now.world.advanced(by: wait))
  }

  func view() throws -> DeviceView { try #require(world.device(Self.device, at: now.world)) }

  /// A request was not answered.
  private struct Missing: Error {}
}

extension SettingsWorld {
  /// The text of a current token of the first app.
  func token(_ slot: TokenSlot) throws -> String {
    try #require(world.fleet.token(Self.device, app: 0, slot: slot)).text
  }

  /// The kinds of tokens that the phone's apps have.
  func tokenKinds() -> Set<TokenKind> {
    Set(world.tokens(Filter(), from: .init(device: 0, skip: 0), limit: 100, at: now.world).tokens.map(\.kind))
  }

  /// The URLs of the calls that apps have made since the last events were taken.
  mutating func calls() -> [String] {
    var events: [WorldEvent] = []
    world.takeEvents(into: &events)
    return events.compactMap { if case .call(let record) = $0 { record.call.url } else { nil } }
  }
}
