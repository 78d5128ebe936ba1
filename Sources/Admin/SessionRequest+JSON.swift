import APNs
import Devices
import Grammar
import Simulation
import WireFormats

extension SessionRequest {
  /// Further keys that responses have.
  static let answered = [
    "open", "openedAt", "closedAt", "expiresAt", "deviceCount", "counts", "faults", "expected", "passed",
    "expectations", "findings",
  ]
  private static let longestLife: Duration = .seconds(7 * 86_400)
  private static let mostKeys = 1000
  private static let mostTopics = 1000
  private static let mostExpectations = 1000

  init(_ fields: Fields, _ world: World, _ read: ExpectationReading) throws(InputProblem) {
    self.init()
    name = try fields.text("name")
    if let name, !(1...200).contains(name.utf8.count) {
      throw InputProblem("name must be 1 to 200 bytes long.", field: "name")
    }
    if let name, name.contains(Fault.separator) {
      throw InputProblem("name must not have control characters.", field: "name")
    }
    if let value = fields.json("keys") { scope.keys = try Self.keys(value, world.validator.keyRing) }
    if let value = fields.json("topics") { scope.topics = try Self.topics(value, world.fleet) }
    if let value = fields.json("devices") { scope.devices = try Self.devices(value, world.fleet).sorted() }
    if let count = fields.node["deviceCount"]?.json.integer, count != Int64(scope.devices?.count ?? 0) {
      throw InputProblem(
        "deviceCount is \(count), but devices has \(scope.devices?.count ?? 0); a response lists only the first 1000.",
        field: "devices", code: .contradiction)
    }
    pushLog = try Self.capacity(fields) ?? pushLog
    life = try Self.life(fields)
    guard let value = fields.json("expect") else { return }
    expectations = try Self.expectations(value, read)
    given = value
  }

  static func expectations(
    _ value: JSONValue, _ read: ExpectationReading
  ) throws(InputProblem) -> [Scenario.Expectation] {
    guard let list = value.elements, list.count <= mostExpectations else {
      throw InputProblem(
        "expect must be a list of at most \(mostExpectations) expectations, as in scenario files.", field: "expect")
    }
    var expectations: [Scenario.Expectation] = []
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

  private static func keys(_ value: JSONValue, _ ring: KeyRing) throws(InputProblem) -> [Filter.Key] {
    var keys: [Filter.Key] = []
    for id in try texts(value, "keys", "key ids", most: mostKeys) {
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

  private static func topics(_ value: JSONValue, _ fleet: Fleet) throws(InputProblem) -> [SessionTopic] {
    var topics: [SessionTopic] = []
    let known = fleet.plan.apps.map(\.bundleID)
    for text in try texts(value, "topics", "bundle ids or topics", most: mostTopics) {
      guard let topic = SessionTopic(text), known.contains(topic.bundleID) || known.contains(text) else {
        throw InputProblem(
          "\(Wording.quoted(text)) is not the topic of an app; the fleet has \(Wording.list(known))"
            + Wording.suggestion(for: text, among: known), field: "topics")
      }
      if !topics.contains(topic) { topics.append(topic) }
    }
    return topics
  }

  private static func devices(_ value: JSONValue, _ fleet: Fleet) throws(InputProblem) -> Set<DeviceID> {
    var devices: Set<DeviceID> = []
    for text in try texts(value, "devices", "ids such as d17", most: Selection.mostChanged) {
      guard let device = DeviceID(text) else {
        throw InputProblem("devices must be a list of ids such as [\"d17\"].", field: "devices")
      }
      guard fleet.contains(device) else {
        throw InputProblem(
          "There is no device \(text); this fleet has d0 to d\(fleet.plan.devices - 1).", field: "devices")
      }
      devices.insert(device)
    }
    return devices
  }

  private static func texts(
    _ value: JSONValue, _ name: String, _ what: String, most: Int
  ) throws(InputProblem) -> [String] {
    let texts = value.elements?.compactMap(\.string) ?? []
    guard let elements = value.elements, texts.count == elements.count, (1...most).contains(texts.count) else {
      throw InputProblem("\(name) must be a list of 1 to \(most) \(what).", field: name)
    }
    return texts
  }
}
