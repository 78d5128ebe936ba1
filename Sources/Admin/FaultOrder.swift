import APNs
import Devices
import Reporting
import Simulation
import Timeline
import WireFormats

/// Reads a fault: `name`, `when`, `odds`, `limit`, `from`, `until`, and `then`.
package enum FaultOrder {
  package static let members = ["name", "when", "odds", "limit", "from", "until", "for", "then"]
  package static let conditions = [
    "environment", "app", "pushType", "priority", "event", "tokenKind", "devices", "os", "share", "connection", "skip",
    "every", "opening", "idle",
  ]

  /// Reads a fault that stands in a file.
  ///
  /// - Parameter began: what `from` and `until` count from.
  package static func read(_ value: JSONValue, _ fleet: Fleet, at began: Instant) throws(AdminProblem) -> Fault {
    try read(Form(value, named: "a fault", allowed: members), fleet, at: began)
  }

  static func read(_ form: Form, _ fleet: Fleet, at now: Instant) throws(AdminProblem) -> Fault {
    let name = try form.needed("name", "what this fault is called, such as \"slow answers\"")
    guard Fault.nameLengths.contains(name.utf8.count) else {
      throw AdminProblem(422, "name is 1 to 100 bytes of text.", field: "name")
    }
    guard !name.contains(Fault.separator) else {
      throw AdminProblem(422, "name has no control characters.", field: "name")
    }
    guard let then = form["then"] else {
      throw AdminProblem(
        422, "then is needed: what goes wrong, one of \(Words.list(ConsequenceOrder.names, "or")).", field: "then")
    }
    var fault = Fault(name, try ConsequenceOrder.read(then))
    if let when = form["when"] { fault.condition = try condition(when, fault.consequence, fleet) }
    if let value = form["odds"] { fault.odds = try Share(value, named: "odds").odds }
    fault.limit = try form.whole("limit").map { UInt64($0) }
    for name in ["odds", "limit"] where form[name] != nil && fault.consequence.standsByItself {
      throw AdminProblem(
        422,
        "\(name) means nothing to \(fault.consequence.plural): it is done once, as it comes into force."
          + (name == "odds" ? " Which devices it is done to is said by share." : ""), field: name)
    }
    try readTimes(form, now, into: &fault)
    fault.order = .object(
      ["when", "odds", "then"].compactMap { name in form[name].map { JSONValue.Member(name, $0) } })
    try FaultReach.check(fault, fleet)
    return fault
  }

  private static func readTimes(_ form: Form, _ now: Instant, into fault: inout Fault) throws(AdminProblem) {
    fault.from = try moment(form, "from", now)
    fault.until = try moment(form, "until", now)
    if let value = form["for"] {
      guard fault.until == nil else {
        throw AdminProblem(
          422, "Say until, counted from now, or for, counted from the beginning; not both.", field: "for")
      }
      let length = try duration(value, "for")
      guard length > .zero else { throw AdminProblem(422, "for is longer than nothing, such as 30s.", field: "for") }
      fault.until = (fault.from ?? now).advanced(by: length)
    }
    if let from = fault.from, let until = fault.until, until <= from {
      throw AdminProblem(422, "until is after from; both count from now.", field: "until")
    }
  }

  /// A time from now, as a duration or in seconds.
  private static func moment(_ form: Form, _ name: String, _ now: Instant) throws(AdminProblem) -> Instant? {
    guard let value = form[name] else { return nil }
    return now.advanced(by: try duration(value, name))
  }

  static func duration(_ value: JSONValue, _ name: String) throws(AdminProblem) -> Duration {
    switch value {
    case .string(let text): if let duration = DurationText.parse(text) { return duration }
    case .integer(let seconds) where (0...100_000_000).contains(seconds): return .seconds(seconds)
    default: break
    }
    throw AdminProblem(422, "\(name) is a duration such as 90s or 500ms, or a number of seconds.", field: name)
  }

  // MARK: - When

  private static func condition(
    _ value: JSONValue, _ consequence: Fault.Consequence, _ fleet: Fleet
  ) throws(AdminProblem) -> FaultCondition {
    let form = try Form(value, named: "when", allowed: conditions)
    var condition = FaultCondition()
    condition.isOpening = try form.truth("opening") ?? false
    if let value = form["idle"] {
      let idle = try duration(value, "idle")
      guard idle > .zero else { throw AdminProblem(422, "idle is longer than nothing, such as 60s.", field: "idle") }
      condition.idle = idle
    }
    try checkMeaning(form, condition, consequence)
    condition.environment = try form.choice("environment", Environment.allCases.map { ($0.rawValue, $0) })
    if let app = try form.text("app") {
      let apps = fleet.plan.apps.map(\.bundleID)
      guard apps.contains(app) else {
        throw AdminProblem(
          422, "There is no app \(Words.quoted(app)); the fleet has \(Words.list(apps)).", field: "app")
      }
      condition.app = app
    }
    condition.pushType = try form.choice("pushType", PushType.allCases.map { ($0.rawValue, $0) })
    if let number = try form.whole("priority") {
      guard let priority = Priority(rawValue: Int(number))
      else { throw AdminProblem(422, "priority is 10, 5 or 1.", field: "priority") }
      condition.priority = priority
    }
    condition.event = try event(form, consequence)
    condition.tokenKind = try form.choice("tokenKind", TokenKind.allCases.map { ($0.name, $0) })
    if let list = form["devices"] {
      guard let names = list.elements, names.count <= 100_000 else {
        throw AdminProblem(422, "devices is a list of ids such as [\"d17\"].", field: "devices")
      }
      var devices: Set<DeviceID> = []
      for name in names {
        guard let device = name.string.flatMap({ DeviceID($0) }), fleet.contains(device) else {
          throw AdminProblem(
            422, "devices is a list of ids from d0 to d\(fleet.plan.devices - 1).", field: "devices")
        }
        devices.insert(device)
      }
      condition.devices = devices
    }
    condition.os = try form.whole("os").map { Int($0) }
    if let share = form["share"] { condition.share = try Share(share, named: "share").odds }
    condition.connection = try form.whole("connection").map { UInt64($0) }
    condition.skip = UInt64(try form.whole("skip") ?? 0)
    condition.every = UInt64(max(1, try form.whole("every") ?? 1))
    return condition
  }

  /// Of a push, or of what an app reports.
  private static func event(_ form: Form, _ consequence: Fault.Consequence) throws(AdminProblem) -> String? {
    guard case .reports = consequence else {
      return try form.choice("event", ["start", "update", "end"].map { ($0, $0) })
    }
    guard let name = try form.text("event") else { return nil }
    do {
      return try ReportEvent(name).name
    } catch {
      throw AdminProblem(422, "event is what an app reports: \(error.description)", field: "event")
    }
  }

  /// Refuses conditions that say nothing about what the fault is for, so that nobody believes they did.
  private static func checkMeaning(
    _ form: Form, _ condition: FaultCondition, _ consequence: Fault.Consequence
  ) throws(AdminProblem) {
    var allowed: [String]
    var what = consequence.plural
    switch consequence {
    case .push: allowed = conditions.filter { $0 != "opening" && $0 != "idle" }
    case .connection where condition.isOfConnections:
      allowed = ["environment", "connection", "skip", "every", "opening", "idle"]
      what = "connections that \(condition.isOpening ? "open" : "are idle")"
      if condition.isOpening, condition.idle != nil {
        throw AdminProblem(422, "A fault strikes connections as they open, or idle ones; not both.", field: "idle")
      }
    case .connection: allowed = conditions
    case .devices: allowed = ["app", "devices", "os", "share"]
    case .prompts: allowed = ["devices", "os", "share"]
    case .reports: allowed = ["app", "event", "devices", "os", "share", "skip", "every"]
    case .listener: allowed = ["environment"]
    }
    for name in conditions where form[name] != nil && !allowed.contains(name) {
      throw AdminProblem(
        422, "\(name) says nothing about \(what); such a fault goes by \(Words.list(allowed)).", field: name)
    }
  }
}
