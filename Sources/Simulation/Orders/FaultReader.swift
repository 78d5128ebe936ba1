import APNs
import Devices
import Grammar
import Reporting
import Timeline
import WireFormats

/// Reads a fault: `name`, `when`, `odds`, `limit`, `from`, `until`, and `then`.
package enum FaultReader {
  package static let members = ["name", "when", "odds", "limit", "from", "until", "for", "then"]
  /// What the answer says of a fault beside that.
  package static let answered = ["kind", "seen", "struck", "state", "inForce", "devices", "pending"]
  package static let conditions = [
    "environment", "app", "pushType", "priority", "event", "tokenKind", "device", "devices", "os", "share",
    "connection", "skip", "every", "opening", "idle",
  ]

  /// - Parameter began: what `from` and `until` count from.
  package static func read(_ node: SourceNode, _ fleet: Fleet, at began: Instant) throws(InputProblem) -> Fault {
    try read(Fields(node, "a fault", known: members), fleet, at: began)
  }

  /// The same where the keys are known already.
  package static func read(_ fields: Fields, _ fleet: Fleet, at now: Instant) throws(InputProblem) -> Fault {
    var fault = try parse(fields, at: now)
    fault.given = .object(
      ["when", "odds", "then"].compactMap { name in fields.json(name).map { JSONValue.Member(name, $0) } })
    try FaultCheck.check(fault, fields, fleet)
    return fault
  }

  /// Reads a fault without asking whether the fleet has anything that it could affect.
  static func parse(_ fields: Fields, at now: Instant) throws(InputProblem) -> Fault {
    let name = try fields.needed("name", "what this fault is called, such as \"slow answers\"")
    guard Fault.nameLengths.contains(name.utf8.count) else {
      throw fields.problem("name", "name is 1 to 100 bytes of text.")
    }
    guard !name.contains(Fault.separator) else {
      throw fields.problem("name", "name has no control characters.")
    }
    guard let then = fields["then"] else {
      throw fields.problem(
        "then", "then is needed: what goes wrong, one of \(Wording.list(ConsequenceReader.names, "or")).")
    }
    var fault = Fault(name, try ConsequenceReader.read(then))
    if let when = fields["when"] { fault.condition = try condition(when, fault.consequence) }
    if let odds = try fields.share("odds") { fault.odds = odds }
    fault.limit = try fields.whole("limit").map { UInt64($0) }
    for name in ["odds", "limit"] where fields.has(name) && fault.consequence.standsByItself {
      throw fields.problem(
        name,
        "\(name) means nothing to \(fault.consequence.plural): it is done once, as it comes into force."
          + (name == "odds" ? " Which devices it is done to is said by share." : ""))
    }
    try readTimes(fields, now, into: &fault)
    return fault
  }

  private static func readTimes(_ fields: Fields, _ now: Instant, into fault: inout Fault) throws(InputProblem) {
    fault.from = try moment(fields, "from", now)
    fault.until = try moment(fields, "until", now)
    if let length = try fields.duration("for") {
      guard fault.until == nil else {
        throw fields.problem("for", "Say until, counted from now, or for, counted from the beginning; not both.")
      }
      guard length > .zero else { throw fields.problem("for", "for is longer than nothing, such as 30s.") }
      fault.until = (fault.from ?? now).advanced(by: length)
    }
    if let from = fault.from, let until = fault.until, until <= from {
      throw fields.problem("until", "until is after from; both count from now.")
    }
  }

  /// A time from now, as a duration or in seconds; or a date, as answers have it.
  private static func moment(_ fields: Fields, _ name: String, _ now: Instant) throws(InputProblem) -> Instant? {
    if let date = fields[name]?.text.flatMap({ Instant(rfc3339: $0) }) { return date }
    return try fields.duration(name).map { now.advanced(by: $0) }
  }

  // MARK: - When

  private static func condition(
    _ node: SourceNode, _ consequence: Fault.Consequence
  ) throws(InputProblem) -> FaultCondition {
    let fields = try Fields(node, "when", known: conditions)
    var condition = FaultCondition()
    condition.isOpening = try fields.truth("opening") ?? false
    if let idle = try fields.duration("idle") {
      guard idle > .zero else { throw fields.problem("idle", "idle is longer than nothing, such as 60s.") }
      condition.idle = idle
    }
    try checkMeaning(fields, condition, consequence)
    try FilterReader.read(fields, into: &condition.filter, mostDevices: 100_000)
    // In one order, for the same devices are the same condition.
    condition.filter.devices?.sort()
    condition.filter.event = try event(fields, consequence)
    condition.skip = UInt64(try fields.whole("skip") ?? 0)
    condition.every = UInt64(max(1, try fields.whole("every") ?? 1))
    return condition
  }

  /// Of a push, or of what an app reports.
  private static func event(_ fields: Fields, _ consequence: Fault.Consequence) throws(InputProblem) -> String? {
    guard case .reports = consequence else {
      return try fields.choice("event", ["start", "update", "end"].map { ($0, $0) })
    }
    guard let name = try fields.text("event") else { return nil }
    do {
      return try ReportEvent(name).name
    } catch {
      throw fields.problem("event", "event is what an app reports: \(error.description)")
    }
  }

  /// Refuses conditions that say nothing about what the fault is for, so that nobody believes they did.
  private static func checkMeaning(
    _ fields: Fields, _ condition: FaultCondition, _ consequence: Fault.Consequence
  ) throws(InputProblem) {
    var allowed: [String]
    var what = consequence.plural
    switch consequence {
    case .push: allowed = conditions.filter { $0 != "opening" && $0 != "idle" }
    case .connection where condition.isOfConnections:
      allowed = ["environment", "connection", "skip", "every", "opening", "idle"]
      what = "connections that \(condition.isOpening ? "open" : "are idle")"
      if condition.isOpening, condition.idle != nil {
        throw fields.problem("idle", "A fault strikes connections as they open, or idle ones; not both.")
      }
    case .connection: allowed = conditions
    case .devices: allowed = ["app", "device", "devices", "os", "share"]
    case .prompts: allowed = ["device", "devices", "os", "share"]
    case .reports: allowed = ["app", "event", "device", "devices", "os", "share", "skip", "every"]
    case .listener: allowed = ["environment"]
    }
    for name in conditions where fields.has(name) && !allowed.contains(name) {
      throw fields.problem(name, "\(name) says nothing about \(what); such a fault goes by \(Wording.list(allowed)).")
    }
  }
}
