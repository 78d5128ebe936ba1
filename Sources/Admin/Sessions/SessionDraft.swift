import APNs
import Devices
import Grammar
import Orders
import Scenarios
import Simulation
import WireFormats

/// A request to open a session as it is written: whether its keys, topics and devices exist is not checked yet. Reading
/// one may take long, and does not need the world.
struct SessionDraft: Sendable {
  /// Further keys that responses have.
  static let answered = [
    "open", "openedAt", "closedAt", "expiresAt", "deviceCount", "counts", "faults", "expected", "passed",
    "expectations", "findings",
  ]
  private static let longestLife: Duration = .seconds(7 * 86_400)
  static let mostKeys = 1000
  static let mostTopics = 1000

  /// All but its keys and topics.
  private var order = SessionRequest()
  private var keys: [String]?
  private var topics: [String]?
  /// Nil if the session names its phones, or has all.
  private(set) var claim: PhoneClaim?

  init(_ fields: Fields, apps: [String], _ read: ExpectationReading) throws(InputProblem) {
    order.name = try fields.text("name")
    if let name = order.name, !(1...200).contains(name.utf8.count) {
      throw InputProblem("name must be 1 to 200 bytes long.", field: "name")
    }
    if let name = order.name, name.contains(Fault.separator) {
      throw InputProblem("name must not have control characters.", field: "name")
    }
    keys = try fields.json("keys").map { (value) throws(InputProblem) in
      try Self.texts(value, name: "keys", what: "key ids", most: Self.mostKeys)
    }
    topics = try fields.json("topics").map { (value) throws(InputProblem) in
      try Self.texts(value, name: "topics", what: "bundle ids or topics", most: Self.mostTopics)
    }
    order.scope.devices = try DeviceList.read(fields, least: 1, most: Selection.mostChanged)?.sorted()
    if let count = fields.node["deviceCount"]?.json.integer, count != Int64(order.scope.devices?.count ?? 0) {
      throw InputProblem(
        "deviceCount is \(count), but devices has \(order.scope.devices?.count ?? 0); a response lists only the first"
          + " 1000.", field: "devices", code: .contradiction)
    }
    order.pushLog = try Self.capacity(fields) ?? order.pushLog
    order.life = try Self.life(fields)
    if let value = fields.json("expect") {
      order.expect(try Self.expectations(value, read), apps: apps)
      order.given = value
    }
    guard let claim = fields["claim"] else { return }
    guard order.scope.devices == nil else {
      throw InputProblem("A session has devices or claim, not both.", field: "claim", code: .contradiction)
    }
    self.claim = try PhoneClaim(claim)
  }

  /// The request, if the world has what it names.
  func request(in world: World) throws(InputProblem) -> SessionRequest {
    var order = order
    if let keys { order.scope.keys = try Self.keys(keys, world.validator.keyRing) }
    if let topics { order.scope.topics = try Self.topics(topics, world.fleet) }
    try claim?.check(world.fleet)
    for device in order.scope.devices ?? [] where !world.fleet.contains(device) {
      throw InputProblem(world.fleet.unknown("device", device.text), field: "devices")
    }
    return order
  }

  static func expectations(
    _ value: JSONValue, _ read: ExpectationReading
  ) throws(InputProblem) -> [Expectation] {
    guard let list = value.elements, list.count <= Scenario.mostExpectations else {
      throw InputProblem(
        "expect must be a list of at most \(Scenario.mostExpectations) expectations, as in scenario files.",
        field: "expect")
    }
    var expectations: [Expectation] = []
    for (number, element) in list.enumerated() { expectations.append(try read(element, "expect[\(number)]")) }
    return expectations
  }

  private static func life(_ fields: Fields) throws(InputProblem) -> Duration? {
    guard let life = try fields.duration("expires") else { return nil }
    guard (.seconds(1)...longestLife).contains(life) else {
      throw fields.problem("expires", "expires must be from 1s to 7d.")
    }
    return life
  }

  /// A number of pushes, or an object as in responses.
  private static func capacity(_ fields: Fields) throws(InputProblem) -> Int? {
    guard let node = fields["ledger"], node.entries != nil else {
      return try fields.whole("ledger", 1...PushLog.mostPushes)
    }
    return try Fields(node, "ledger", known: ["capacity"], answered: ["kept"]).whole("capacity", 1...PushLog.mostPushes)
  }

  private static func keys(_ ids: [String], _ ring: KeyRing) throws(InputProblem) -> [Filter.Key] {
    var keys: [Filter.Key] = []
    for id in ids {
      guard let number = ring.number(of: id) else {
        let known = ring.keys.map(\.keyID)
        throw InputProblem(
          "There is no provider key \(Wording.quoted(id)); registered are \(Wording.list(known))"
            + Wording.suggestion(for: id, among: known), field: "keys")
      }
      let key = Filter.Key(id: id, number: number)
      if !keys.contains(key) { keys.append(key) }
    }
    return keys
  }

  private static func topics(_ texts: [String], _ fleet: Fleet) throws(InputProblem) -> [SessionTopic] {
    var topics: [SessionTopic] = []
    let known = fleet.plan.apps.map(\.bundleID)
    for text in texts {
      guard let topic = SessionTopic(text), known.contains(topic.bundleID) || known.contains(text) else {
        throw InputProblem(
          "\(Wording.quoted(text)) is not the topic of an app; the fleet has \(Wording.list(known))"
            + Wording.suggestion(for: text, among: known), field: "topics")
      }
      if !topics.contains(topic) { topics.append(topic) }
    }
    return topics
  }

  private static func texts(
    _ value: JSONValue, name: String, what: String, most: Int
  ) throws(InputProblem) -> [String] {
    let texts = value.elements?.compactMap(\.string) ?? []
    guard let elements = value.elements, texts.count == elements.count, (1...most).contains(texts.count) else {
      throw InputProblem("\(name) must be a list of 1 to \(most) \(what).", field: name)
    }
    return texts
  }
}
