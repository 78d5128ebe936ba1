import APNs
import Devices
import Simulation
import Timeline
import WireFormats

@testable import Admin

/// A desk with a small world behind it: twenty phones, two apps, one key, and a provider on the line.
struct Office {
  /// 2026-03-01T12:00:00Z.
  static let noon = Instant(seconds: 1_772_366_400)
  static let app = "com.example.app"
  static let local: [(name: String, value: String)] = [("host", "localhost:2190")]

  let desk = AdminDesk(version: "0.1.0")
  var station: Station
  var wall = Office.noon
  /// What the answers so far have settled, for the wire.
  var events: [Event] = []
  private var streams: Int32 = 1

  /// Tokens and wakes at once, and no question under a card.
  static let quick: Habits = {
    var habits = Habits()
    habits.timing = .none
    habits.prompt.policy = .never
    return habits
  }()

  init(devices: UInt32 = 20, ledger: Int = 100, runningActivities: Int = 0) {
    let apps = [
      AppProfile(
        bundleID: Self.app, teamID: "PUSHPIT001", attributesTypes: ["MatchAttributes", "RideAttributes"],
        runningActivities: runningActivities),
      AppProfile(bundleID: "com.example.store", teamID: "PUSHPIT001", build: .production),
    ]
    let key = ProviderKey(keyID: "ABCDE12345", teamID: "PUSHPIT001", environments: [.sandbox, .production])
    let keyRing = KeyRing(keys: [key], apps: apps.map { ($0.bundleID, $0.teamID) }) { _, _, _ in true }
    let plan = FleetPlan(
      devices: devices, seed: 1, apps: apps,
      mix: [.init(OSVersion(18, 5), parts: 1), .init(OSVersion(26, 1), parts: 1)], phones: .ideal, habits: Self.quick)
    var clock = WorldClock()
    clock.stand(wall: Self.noon)
    station = Station(
      world: World(plan, rulebook: Rulebook(), keyRing: keyRing, at: Self.noon), clock: clock,
      ledgerCapacity: ledger)
    station.world.connectionOpened(ConnectionID(1), to: .sandbox, peer: "127.0.0.1:50001", at: now)
    _ = station.settle()
  }

  var now: Now { station.now(wall: wall) }

  // MARK: - Asking

  mutating func ask(
    _ method: String, _ target: String, headers: [(name: String, value: String)] = Office.local, body: [UInt8] = []
  ) -> AdminResponse {
    let request = AdminRequest(method: method, target: target, headers: headers, body: body)
    let (response, events) = desk.answer(request, &station, wall: wall)
    self.events += events
    return response
  }

  mutating func get(_ target: String) -> JSONValue { ask("GET", target).json }

  mutating func post(_ target: String, _ body: JSONValue) -> AdminResponse {
    ask(
      "POST", target, headers: Self.local + [("content-type", "application/json")], body: Array(body.text.utf8))
  }

  mutating func act(_ device: String, _ order: JSONValue) -> AdminResponse {
    post("/v1/devices/\(device)/actions", order)
  }

  // MARK: - Pushing

  /// A JWT that the key ring's closure takes for signed.
  var providerToken: String {
    let header = Base64URL.encode(#"{"alg":"ES256","kid":"ABCDE12345"}"#.utf8)
    let claims = Base64URL.encode(#"{"iss":"PUSHPIT001","iat":\#(Self.noon.seconds)}"#.utf8)
    return "\(header).\(claims).\(Base64URL.encode([UInt8](repeating: 7, count: 64)))"
  }

  /// Sends a push; a nil authorization leaves the header out.
  mutating func push(
    _ token: String, topic: String = Office.app, id: String? = nil, authorization: String?? = .none,
    body: [UInt8] = Array(#"{"aps":{"alert":"hello"}}"#.utf8)
  ) {
    var fields: [(name: String, value: String)] = [(":authority", "localhost"), ("apns-topic", topic)]
    if let id { fields.append(("apns-id", id)) }
    if let value = authorization ?? "bearer \(providerToken)" { fields.append(("authorization", value)) }
    station.world.receive(
      HTTPRequest("POST", "/3/device/\(token)", fields: fields, body: body), on: StreamID(ConnectionID(1), streams),
      at: now)
    streams += 2
  }

  /// An app of a device as the API shows it.
  mutating func install(_ device: String, app: String = Office.app) -> JSONValue? {
    get("/v1/devices/\(device)")["apps"]?.elements?.first { $0["bundleId"]?.string == app }
  }

  mutating func token(_ device: String) -> String { install(device)?["deviceToken"]?.string ?? "" }

  mutating func startToken(_ device: String) -> String {
    install(device)?["pushToStart"]?.elements?.first?["token"]?.string ?? ""
  }

  mutating func newestPush() -> JSONValue? { get("/v1/pushes?limit=1")["pushes"]?.elements?.first }
}

extension AdminResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
  var json: JSONValue { (try? JSONValue.parse(body)) ?? .null }
  var error: String { json["error"]?.string ?? "" }
  var field: String? { json["field"]?.string }

  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
