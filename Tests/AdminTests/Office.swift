import APNs
import Devices
import Scenarios
import Simulation
import Timeline
import WireFormats

@testable import Admin

/// A desk with a small world behind it: twenty phones, two apps, one key, and a provider on the line.
struct Office {
  /// 2026-03-01T12:00:00Z.
  static let noon = Instant(seconds: 1_772_366_400)
  static let app = "com.example.app"
  static let store = "com.example.store"
  static let activityTopic = app + ".push-type.liveactivity"
  static let local: [(name: String, value: String)] = [("host", "localhost:2190")]
  static let json: [(name: String, value: String)] = local + [("content-type", "application/json")]

  var desk = AdminService(version: "0.1.0")
  var simulator: Simulator
  var wall = Office.noon
  /// The events that the answers so far have settled, for the wire.
  var events: [WorldEvent] = []
  private var streams: Int32 = 1

  /// Tokens and wakes at once, and no question under a card.
  static let quick: DevicePolicy = {
    var policy = DevicePolicy()
    policy.timing = .none
    policy.prompt.policy = .never
    return policy
  }()

  /// Budgets with which applied content is drawn at once.
  static let prompt: BudgetPlan = {
    var plan = BudgetPlan()
    plan.rendering.from18 = .zero...(.zero)
    return plan
  }()

  init(
    devices: UInt32 = 20, pushLog: Int = 100, runningActivities: Int = 0, policy: DevicePolicy = quick,
    budget: BudgetPlan = BudgetPlan(), traits: AppTraits = AppTraits(), schema: ContentSchema? = nil,
    card: CardTemplate? = nil, categories: [NotificationCategory] = []
  ) {
    let types = [AttributesType("MatchAttributes", contentState: schema), AttributesType("RideAttributes")]
    var match = AppProfile(
      bundleID: Self.app, teamID: "PUSHPIT001", types: types, runningActivities: runningActivities)
    match.traits = traits
    match.types[0].card = card
    match.categories = categories
    let apps = [match, AppProfile(bundleID: Self.store, teamID: "PUSHPIT001", build: .production)]
    let key = ProviderKey(keyID: "ABCDE12345", teamID: "PUSHPIT001", environments: [.sandbox, .production])
    let keyRing = KeyRing(
      keys: [key], apps: apps.map { ($0.bundleID, $0.teamID) }, read: { _ in { _, _ in true } }
    ) { _, _, _ in true }
    var plan = FleetPlan(
      devices: devices, seed: 1, apps: apps,
      mix: [.init(OSVersion(18, 5), parts: 1), .init(OSVersion(26, 1), parts: 1)], phones: .ideal,
      policy: policy)
    plan.budget = budget
    var clock = WorldClock()
    clock.stand(wall: Self.noon)
    simulator = Simulator(
      world: World(plan, rulebook: Rulebook(), keyRing: keyRing, at: Self.noon), clock: clock,
      pushLogCapacity: pushLog)
    simulator.world.connectionOpened(ProviderConnectionID(1), to: .sandbox, peer: "127.0.0.1:50001", at: now)
    _ = simulator.settle()
  }

  var now: Now { simulator.now(wall: wall) }

  // MARK: - Asking

  mutating func ask(
    _ method: String, _ target: String, headers: [(name: String, value: String)] = Office.local, body: [UInt8] = []
  ) -> AdminResponse {
    let request = AdminRequest(method: method, target: target, headers: headers, body: body)
    let (response, events) = desk.answer(request, &simulator, wall: wall)
    self.events += events
    DescribedAnswers.check(response, of: request)
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

  /// Reports a trouble of a client; the next request finds it.
  mutating func report(_ kind: String, peer: String, _ sentence: String) {
    simulator.report(ClientTrouble(at: now.world, kind: kind, peer: peer, sentence: sentence))
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
    headers: [(name: String, value: String)] = [], body: [UInt8] = Array(#"{"aps":{"alert":"hello"}}"#.utf8)
  ) {
    var fields: [(name: String, value: String)] = [(":authority", "localhost"), ("apns-topic", topic)]
    fields += headers
    if let id { fields.append(("apns-id", id)) }
    if let value = authorization ?? "bearer \(providerToken)" { fields.append(("authorization", value)) }
    simulator.world.receive(
      HTTPRequest("POST", "/3/device/\(token)", fields: fields, body: body),
      on: StreamID(ProviderConnectionID(1), streams),
      at: now)
    streams += 2
  }

  /// Sends a Live Activity push with these members of `aps`, a second newer than the world, and gives its record.
  @discardableResult
  mutating func pushActivity(
    _ token: String, _ event: String, _ members: JSONValue = [:], after seconds: Int64 = 1, priority: String = "10"
  ) -> JSONValue? {
    var aps: [JSONValue.Member] = [
      .init("timestamp", .integer(now.world.seconds + seconds)), .init("event", .string(event)),
    ]
    if event == "start" {
      aps += [
        .init("attributes-type", "MatchAttributes"), .init("attributes", ["match": "final"]),
        .init("content-state", ["home": 0]), .init("alert", ["title": "Kick-off", "body": "Now"]),
      ]
    }
    aps.removeAll { member in members[member.key] != nil }
    aps += members.members ?? []
    push(
      token, topic: Self.activityTopic, headers: [("apns-priority", priority)],
      body: Array(JSONValue.object([.init("aps", .object(aps))]).text.utf8))
    return newestPush()
  }

  mutating func advance(_ step: String) { _ = post("/v1/clock", ["advance": .string(step)]) }

  /// Starts an activity in the app, with nobody looking and nothing else due; its update token.
  mutating func startActivity(_ device: String, _ members: JSONValue = [:]) -> String {
    _ = act(device, .object([.init("do", "startActivity")] + (members.members ?? [])))
    return activity(device)?["updateToken"]?.string ?? ""
  }

  /// The app's newest activity there.
  mutating func activity(_ device: String) -> JSONValue? { install(device)?["activities"]?.elements?.last }

  mutating func card(_ device: String) -> JSONValue? {
    get("/v1/devices/\(device)/screen")["lockScreen"]?.elements?.first
  }

  mutating func log(_ device: String, _ query: String = "") -> [JSONValue] {
    get("/v1/devices/\(device)/log?limit=1000\(query)")["lines"]?.elements ?? []
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

extension JSONValue {
  /// The names of the events of an answer, in order.
  var eventNames: [String] { (self["events"]?.elements ?? []).compactMap { $0["event"]?.string } }

  /// The values of one member of the elements, where they are strings.
  func strings(_ member: String) -> [String] { (elements ?? []).compactMap { $0[member]?.string } }
}

extension AdminResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
  var json: JSONValue { (try? JSONValue.parse(body)) ?? .null }
  var error: String { json["error"]?.string ?? "" }
  var field: String? { json["field"]?.string }

  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
