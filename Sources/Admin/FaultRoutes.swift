import APNs
import Simulation
import Timeline
import WireFormats

/// Faults: set, listed, taken back.
enum FaultRoutes {
  static func list(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let limit = try visit.query.limit()
    let start = try visit.query.cursor().map { $0[0] } ?? 0
    var all = station.world.faults.armed
    if let name = visit.query.text("session") {
      _ = try SessionRoutes.session(name, station)
      all = all.filter { $0.fault.session == name }
    }
    let page = all.dropFirst(start).prefix(limit)
    let end = start + page.count
    let now = station.now(wall: visit.wall).world
    return .json([
      "faults": .array(page.map { value($0, at: now) }), "next": JSONValue(end < all.count ? String(end) : nil),
    ])
  }

  static func set(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let form = try Form(visit.request, allowed: FaultOrder.members + ["session"])
    var fault = try FaultOrder.read(form, station.world.fleet, at: station.now(wall: visit.wall).world)
    if let name = try form.text("session") {
      let session = try SessionRoutes.session(name, station)
      fault = try AdminProblem.wrapping { () throws(CommandProblem) in try fault.bound(to: session) }
    }
    try perform(.setFault(fault), &visit, &station)
    guard let armed = station.world.faults[fault.name] else { throw AdminProblem(404, "The fault is gone again.") }
    return .json(value(armed, at: station.now(wall: visit.wall).world))
  }

  static func one(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
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
    return .json(value(armed, at: station.now(wall: visit.wall).world))
  }

  static func remove(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
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
    return .json(["removed": .string(visit.captures[0])])
  }

  /// Everything is well again, or everything of one session.
  static func reset(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    var session: String?
    if !visit.request.body.isEmpty { session = try Form(visit.request, allowed: ["session"]).text("session") }
    if let session { _ = try SessionRoutes.session(session, station) }
    let count = station.world.faults.armed.count { session == nil || $0.fault.session == session }
    try perform(session.map { .healSession($0) } ?? .healAll, &visit, &station)
    return .json(["removed": JSONValue(count)])
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

  private static func value(_ armed: FaultDesk.Armed, at now: Instant) -> JSONValue {
    let state = state(armed, at: now)
    return [
      "name": .string(armed.fault.label), "session": JSONValue(armed.fault.session),
      "kind": .string(armed.fault.consequence.kind),
      "when": armed.fault.order?["when"] ?? .null, "odds": armed.fault.order?["odds"] ?? .null,
      "then": armed.fault.order?["then"] ?? .null,
      "seen": .integer(Int64(clamping: armed.seen)), "struck": .integer(Int64(clamping: armed.struck)),
      "limit": armed.fault.limit.map { JSONValue.integer(Int64(clamping: $0)) } ?? .null,
      "from": JSONValue(armed.fault.from?.rfc3339),
      "until": JSONValue(armed.fault.until?.rfc3339), "state": .string(state.rawValue),
      "inForce": .bool(state == .active),
      "devices": armed.fault.consequence.isOfDevices ? JSONValue(armed.done.count) : .null,
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
