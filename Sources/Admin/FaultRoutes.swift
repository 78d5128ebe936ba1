import APNs
import Grammar
import Simulation
import Timeline
import WireFormats

/// Faults: set, listed, taken back.
enum FaultRoutes {
  static func list(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let limit = try visit.query.limit()
    let start = try visit.query.cursor().map { $0[0] } ?? 0
    let session = visit.query.text("session")
    if let session { _ = try SessionRoutes.session(session, station) }
    let faults = station.world.faults
    let names = faults.armed.indices.lazy.filter { session == nil || faults.armed[$0].fault.session == session }
      .map { faults.armed[$0].fault.name }
    let page = Array(names.dropFirst(start).prefix(limit))
    let end = start + page.count
    return list(page[...], [], next: names.dropFirst(end).isEmpty ? nil : end, visit, station)
  }

  /// Shows faults, some in each hold of the lock; one that is taken back meanwhile is left out.
  private static func list(
    _ names: ArraySlice<String>, _ shown: [JSONValue], next: Int?, _ visit: Visit, _ station: Station
  ) -> AdminReply {
    let now = names.prefix(Portion.shown)
    let left = names.dropFirst(Portion.shown)
    let all = shown + now.compactMap { station.world.faults[$0].map { value($0, visit, station) } }
    guard left.isEmpty else { return .more { visit, station in list(left, all, next: next, visit, station) } }
    return .json(["faults": .array(all), "next": JSONValue(next.map { String($0) })])
  }

  static func set(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let now = station.now(wall: visit.wall).world
    var (fault, session) = try visit.read(FaultReader.members + ["session"]) { fields throws(InputProblem) in
      (try FaultReader.read(fields, station.world.fleet, at: now), try fields.text("session"))
    }
    if let name = session {
      let session = try SessionRoutes.session(name, station)
      fault = try AdminProblem.wrapping { () throws(CommandProblem) in try fault.bound(to: session) }
    }
    try perform(.setFault(fault), &visit, &station)
    let name = fault.name
    return try whenDone(&visit, &station) { (visit, station) throws(AdminProblem) in
      guard let armed = station.world.faults[name] else { throw AdminProblem(404, "The fault is gone again.") }
      return value(armed, visit, station)
    }
  }

  /// Holds of the lock for which an answer waits until devices have been reached: some thousands are, by then.
  private static let patience = 200

  private typealias Writing = @Sendable (Visit, Station) throws(AdminProblem) -> JSONValue

  /// Answers once a fault has reached its devices, or has left them, if that does not take too long.
  private static func whenDone(
    _ visit: inout Visit, _ station: inout Station, turns: Int = patience, _ write: @escaping Writing
  ) throws(AdminProblem) -> AdminReply {
    guard station.world.devicesAhead > 0, turns > 0 else {
      let value = try write(visit, station)
      return .json(value)
    }
    return .more { (visit, station) throws(AdminProblem) in
      station.stepWaves(wall: visit.wall)
      visit.settle(&station)
      return try whenDone(&visit, &station, turns: turns - 1, write)
    }
  }

  static func one(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    var name = visit.captures[0]
    if let session = visit.query.text("session") {
      _ = try SessionRoutes.session(session, station)
      name = Fault.name(name, of: session)
    }
    guard let armed = station.world.faults[name] else {
      throw AdminProblem(
        404, "There is no fault \(Words.quoted(visit.captures[0])); GET /v1/faults lists those there are.",
        field: "name")
    }
    let value = value(armed, visit, station)
    return .json(value)
  }

  static func remove(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    var name = visit.captures[0]
    if let session = visit.query.text("session") {
      _ = try SessionRoutes.session(session, station)
      name = Fault.name(name, of: session)
      guard station.world.faults[name] != nil else {
        throw AdminProblem(
          404, "There is no fault \(Words.quoted(visit.captures[0])) for the session \(Words.quoted(session)).",
          field: "name")
      }
    }
    try perform(.removeFault(name), &visit, &station)
    let removed = visit.captures[0]
    return try whenDone(&visit, &station) { (_, _) throws(AdminProblem) in ["removed": .string(removed)] }
  }

  /// Everything is well again, or everything of one session.
  static func reset(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    var session: String?
    if !visit.request.body.isEmpty {
      session = try visit.read(["session"]) { fields throws(InputProblem) in try fields.text("session") }
    }
    if let session { _ = try SessionRoutes.session(session, station) }
    let count = station.world.faults.armed.count { session == nil || $0.fault.session == session }
    try perform(session.map { .healSession($0) } ?? .healAll, &visit, &station)
    return try whenDone(&visit, &station) { (_, _) throws(AdminProblem) in ["removed": JSONValue(count)] }
  }

  private static func perform(
    _ command: Command, _ visit: inout Visit, _ station: inout Station
  ) throws(AdminProblem) {
    do throws(CommandProblem) {
      try station.world.perform(command, at: station.now(wall: visit.wall))
    } catch {
      throw AdminProblem(error)
    }
    visit.settle(&station)
  }

  /// Whether it can strike, or what it did stands.
  private enum State: String {
    /// Its time has not come.
    case planned
    case active
    /// It has struck as often as it may.
    case spent
    /// Its time is over.
    case expired
  }

  private static func state(_ armed: FaultDesk.Armed, at now: Instant) -> State {
    if let from = armed.fault.from, now < from { return .planned }
    if let until = armed.fault.until, until <= now { return .expired }
    if armed.fault.consequence.standsByItself { return armed.isInForce ? .active : .expired }
    return armed.fault.limit.map { armed.struck >= $0 } ?? false ? .spent : .active
  }

  private static func value(_ armed: FaultDesk.Armed, _ visit: Visit, _ station: Station) -> JSONValue {
    let state = state(armed, at: station.now(wall: visit.wall).world)
    return [
      "name": .string(armed.fault.label), "session": JSONValue(armed.fault.session),
      "kind": .string(armed.fault.consequence.kind),
      "when": FaultWriter.condition(armed.fault.condition) ?? .null, "odds": FaultWriter.odds(armed.fault) ?? .null,
      "then": ConsequenceWriter.json(armed.fault.consequence),
      "seen": .integer(Int64(clamping: armed.seen)), "struck": .integer(Int64(clamping: armed.struck)),
      "limit": armed.fault.limit.map { JSONValue.integer(Int64(clamping: $0)) } ?? .null,
      "from": JSONValue(armed.fault.from?.rfc3339),
      "until": JSONValue(armed.fault.until?.rfc3339), "state": .string(state.rawValue),
      "inForce": .bool(state == .active),
      "devices": armed.fault.consequence.isOfDevices ? JSONValue(armed.done.count) : .null,
      "pending": JSONValue(station.world.devicesAhead(of: armed)),
    ]
  }
}

extension Fault.Consequence {
  fileprivate var isOfDevices: Bool { if case .devices = self { true } else { false } }

  fileprivate var kind: String {
    switch self {
    case .push: "push"
    case .connection: "connection"
    case .devices: "devices"
    case .prompts: "prompts"
    case .reports: "reports"
    case .listener: "listener"
    }
  }
}
