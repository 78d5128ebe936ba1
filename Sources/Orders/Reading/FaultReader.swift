import APNs
import Devices
import Grammar
import Reporting
import Simulation
import Timeline
import WireFormats

/// Reads a fault: `name`, `when`, `odds`, `limit`, `from`, `until`, and `then`.
package enum FaultReader {
  package static let members = ["name", "when", "odds", "limit", "from", "until", "for", "then"]
  /// Further keys that responses have.
  package static let answered = ["kind", "seen", "struck", "state", "inForce", "devices", "pending"]
  package static let conditions = [
    "environment", "app", "pushType", "priority", "event", "tokenKind", "device", "devices", "os", "share",
    "connection", "operation", "channel", "skip", "every", "opening", "idle",
  ]

  /// The largest `limit`, `skip` and `every`: no run has as many pushes, and arithmetic with such numbers cannot
  /// overflow.
  static let mostPushes = Int(Int32.max)

  /// - Parameter began: the time that `from` and `until` are relative to.
  package static func read(_ node: SourceNode, _ fleet: Fleet, at began: Instant) throws(InputProblem) -> Fault {
    try read(Fields(node, "a fault", known: members), fleet, at: began)
  }

  /// Reads a fault from fields whose keys are known to be valid.
  package static func read(_ fields: Fields, _ fleet: Fleet, at now: Instant) throws(InputProblem) -> Fault {
    let fault = try readGiven(fields, at: now)
    try check(fault, in: fields, for: fleet)
    return fault
  }

  /// Reads a fault, but does not check that it can affect anything in the fleet. A fault may name 10,000 devices.
  package static func readGiven(_ fields: Fields, at now: Instant) throws(InputProblem) -> Fault {
    var fault = try parse(fields, at: now)
    fault.given = .object(
      ["when", "odds", "then"].compactMap { name in fields.json(name).map { JSONValue.Member(name, $0) } })
    return fault
  }

  /// Rejects a fault that cannot affect anything in the fleet.
  ///
  /// - Parameter fields: the fault as written, for the places in error messages.
  package static func check(_ fault: Fault, in fields: Fields, for fleet: Fleet) throws(InputProblem) {
    try FaultCheck.check(fault, in: fields, for: fleet)
  }

  /// Reads a fault without checking whether it can affect anything in the fleet.
  static func parse(_ fields: Fields, at now: Instant) throws(InputProblem) -> Fault {
    let name = try fields.needed("name", "what this fault is called, such as \"slow answers\"")
    guard Fault.nameLengths.contains(name.utf8.count) else {
      throw fields.problem("name", "name must be 1 to 100 bytes long.")
    }
    guard !name.contains(Fault.separator) else {
      throw fields.problem("name", "name must not have control characters.")
    }
    guard let then = fields["then"] else {
      throw fields.problem(
        "then", "then is required: what goes wrong, one of \(Wording.list(ConsequenceReader.names, "or")).")
    }
    var fault = Fault(name, try ConsequenceReader.read(then))
    if let when = fields["when"] { fault.condition = try condition(when, fault.consequence) }
    if let odds = try fields.share("odds") { fault.odds = odds }
    fault.limit = try count("limit", in: fields)
    for name in ["odds", "limit"] where fields.has(name) && fault.consequence.lastsUntilRemoved {
      throw fields.problem(
        name,
        "\(name) is not valid for \(fault.consequence.plural): they take effect once, when they come into force."
          + (name == "odds" ? " To select some of the devices, use share." : ""))
    }
    try readTimes(fields, now, into: &fault)
    return fault
  }

  private static func readTimes(_ fields: Fields, _ now: Instant, into fault: inout Fault) throws(InputProblem) {
    fault.from = try moment(in: fields, named: "from", at: now)
    fault.until = try moment(in: fields, named: "until", at: now)
    if let length = try fields.duration("for") {
      guard fault.until == nil else {
        throw fields.problem("for", "until (from now) and for (from the beginning) cannot be combined.")
      }
      guard length > .zero else { throw fields.problem("for", "for must be longer than 0, such as 30s.") }
      fault.until = (fault.from ?? now).advanced(by: length)
    }
    if let from = fault.from, let until = fault.until, until <= from {
      throw fields.problem("until", "until must be later than from; both count from now.")
    }
  }

  /// A time relative to now, as a duration or in seconds.
  private static func moment(in fields: Fields, named name: String, at now: Instant) throws(InputProblem) -> Instant? {
    if let date = fields[name]?.text.flatMap({ Instant(rfc3339: $0) }) { return date }
    return try fields.duration(name).map { now.advanced(by: $0) }
  }

  // MARK: - When

  private static func condition(
    _ node: SourceNode, _ consequence: Fault.Consequence
  ) throws(InputProblem) -> FaultCondition {
    let fields = try Fields(node, "when", known: conditions)
    var condition = FaultCondition()
    let isOpening = try fields.truth("opening") ?? false
    let idle = try fields.duration("idle")
    guard idle.map({ $0 > .zero }) ?? true else {
      throw fields.problem("idle", "idle must be longer than 0, such as 60s.")
    }
    condition.trigger = isOpening ? .opening : idle.map { .idle($0) } ?? .push
    try checkMeaning(fields, condition: condition, consequence: consequence)
    try FilterReader.read(fields, into: &condition.filter)
    // Sorted, so that the same devices are the same condition.
    condition.filter.devices?.sort()
    condition.filter.event = try event(fields, consequence)
    condition.filter.operation = try fields.choice("operation", ChannelOperation.allCases.map { ($0.rawValue, $0) })
    condition.filter.channel = try fields.text("channel")
    if condition.filter.operation ?? .publish != .publish, case .push(let fault) = consequence,
      let why = fault.kind.publishingOnlyReason
    {
      throw fields.problem(
        "operation", "\(fault.kind.word) is valid only for a broadcast (publish): \(why)")
    }
    condition.skip = try count("skip", in: fields) ?? 0
    condition.every = max(1, try count("every", in: fields) ?? 1)
    return condition
  }

  /// A number of pushes, connections or calls.
  private static func count(_ name: String, in fields: Fields) throws(InputProblem) -> UInt64? {
    guard let number = try fields.whole(name) else { return nil }
    guard number <= mostPushes else {
      throw fields.problem(name, "\(name) must be a whole number from 0 to \(mostPushes).")
    }
    return UInt64(number)
  }

  /// The event of a push, or of an app's call.
  private static func event(_ fields: Fields, _ consequence: Fault.Consequence) throws(InputProblem) -> String? {
    guard case .reports = consequence else {
      return try fields.choice("event", ["start", "update", "end"].map { ($0, $0) })
    }
    guard let name = try fields.text("event") else { return nil }
    do {
      return try ReportEvent(name).name
    } catch {
      throw fields.problem("event", "event must be an event at which an app calls its backend: \(error.description)")
    }
  }

  /// Rejects conditions that have no meaning for this kind of fault, so that nobody relies on them.
  private static func checkMeaning(
    _ fields: Fields, condition: FaultCondition, consequence: Fault.Consequence
  ) throws(InputProblem) {
    var allowed: [String]
    var what = consequence.plural
    switch consequence {
    case .push: allowed = conditions.filter { $0 != "opening" && $0 != "idle" }
    case .connection where condition.isOfConnections:
      allowed = ["environment", "connection", "skip", "every", "opening", "idle"]
      what = "connections that \(condition.trigger == .opening ? "open" : "are idle")"
      if condition.trigger == .opening, fields["idle"] != nil {
        throw fields.problem("idle", "idle and opening cannot be combined.")
      }
    case .connection: allowed = conditions
    case .devices: allowed = ["app", "device", "devices", "os", "share"]
    case .prompts: allowed = ["device", "devices", "os", "share"]
    case .reports: allowed = ["app", "event", "device", "devices", "os", "share", "skip", "every"]
    case .listener: allowed = ["environment"]
    }
    for name in conditions where fields.has(name) && !allowed.contains(name) {
      throw fields.problem(name, "\(name) is not valid for \(what); valid conditions are \(Wording.list(allowed)).")
    }
  }
}
