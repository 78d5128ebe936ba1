import APNs
import Grammar
import Orders
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Faults: setting, listing, removing.
enum FaultRoutes {
  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let limit = try context.query.limit()
    let start = try context.query.cursor().map { $0[0] } ?? 0
    let session = try context.query.text("session")
    if let session { _ = try SessionRoutes.session(session, simulator) }
    let faults = simulator.world.faults
    let names = faults.active.indices.lazy.filter { session == nil || faults.active[$0].fault.session == session }
      .map { faults.active[$0].fault.name }
    let page = Array(names.dropFirst(start).prefix(limit))
    let end = start + page.count
    return list(page[...], shown: [], next: names.dropFirst(end).isEmpty ? nil : end, in: context, on: simulator)
  }

  /// Lists faults, some per hold of the lock; a fault that is removed meanwhile is left out.
  private static func list(
    _ names: ArraySlice<String>, shown: [JSONValue], next: Int?, in context: AdminContext, on simulator: Simulator
  ) -> AdminReply {
    let now = names.prefix(BatchSize.shown)
    let left = names.dropFirst(BatchSize.shown)
    let all = shown + now.compactMap { simulator.world.faults[$0].map { value($0, in: context, on: simulator) } }
    guard left.isEmpty else {
      return .more { context, simulator in list(left, shown: all, next: next, in: context, on: simulator) }
    }
    return .json(["faults": .array(all), "next": JSONValue(next.map { String($0) })])
  }

  static func set(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let now = simulator.now(wall: context.wall).world
    return .unlocked { [context] () throws(AdminProblem) in
      let order = try context.read(RequestBody.fault) { fields throws(InputProblem) in
        FaultOrder(
          fault: try FaultReader.readGiven(fields, at: now), session: try fields.text("session"), fields: fields)
      }
      return .more { (context, simulator) throws(AdminProblem) in try set(order, in: &context, on: &simulator) }
    }
  }

  private struct FaultOrder: Sendable {
    let fault: Fault
    let session: String?
    /// The body, for the places in error messages.
    let fields: Fields
  }

  private static func set(
    _ order: FaultOrder, in context: inout AdminContext, on simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    var fault = order.fault
    try AdminProblem.checking { () throws(InputProblem) in
      try FaultReader.check(fault, in: order.fields, for: simulator.world.fleet)
    }
    if let name = order.session {
      let session = try SessionRoutes.session(name, simulator)
      fault = try AdminProblem.wrapping { () throws(CommandProblem) in try fault.bound(to: session) }
    }
    try perform(.setFault(fault), in: &context, on: &simulator)
    let name = fault.name
    return try AdminReply.afterFaults(in: &context, on: &simulator) { (context, simulator) throws(AdminProblem) in
      guard let active = simulator.world.faults[name] else { throw AdminProblem(404, "The fault was removed.") }
      let value = value(active, in: context, on: simulator)
      return .json(value)
    }
  }

  static func one(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    var name = context.captures[0]
    if let session = try context.query.text("session") {
      _ = try SessionRoutes.session(session, simulator)
      name = Fault.name(name, of: session)
    }
    guard let active = simulator.world.faults[name] else {
      throw AdminProblem(
        404, "There is no fault \(Wording.quoted(context.captures[0])); GET /v1/faults lists the faults.",
        field: "name")
    }
    let value = value(active, in: context, on: simulator)
    return .json(value)
  }

  static func remove(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    var name = context.captures[0]
    if let session = try context.query.text("session") {
      _ = try SessionRoutes.session(session, simulator)
      name = Fault.name(name, of: session)
      guard simulator.world.faults[name] != nil else {
        throw AdminProblem(
          404, "There is no fault \(Wording.quoted(context.captures[0])) for the session \(Wording.quoted(session)).",
          field: "name")
      }
    }
    try perform(.deleteFault(name), in: &context, on: &simulator)
    let deleted = context.captures[0]
    return try AdminReply.afterFaults(in: &context, on: &simulator) { _, _ in .deleted([deleted]) }
  }

  /// The things that a reset removes.
  private enum ResetScope {
    case faults
    case session(String)
    case everything
  }

  /// Removes all faults, or those of one session, or begins with new phones.
  static func reset(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    var scope = ResetScope.faults
    if !context.request.body.isEmpty {
      scope = try context.read(RequestBody.reset) { fields throws(InputProblem) in
        let session = try fields.text("session")
        guard try fields.truth("everything") ?? false else { return session.map { ResetScope.session($0) } ?? .faults }
        guard session == nil else {
          throw fields.problem("session", "everything includes all sessions: leave session out.", code: .contradiction)
        }
        return .everything
      }
    }
    if case .everything = scope {
      let phones = simulator.newPhones(wall: context.wall)
      return .apart { _ in
        let phones = phones.made()
        return .more { (context, simulator) throws(AdminProblem) in try beginAnew(phones, in: &context, on: &simulator)
        }
      }
    }
    var session: String?
    if case .session(let name) = scope { session = name }
    if let session { _ = try SessionRoutes.session(session, simulator) }
    let deleted = names(of: session, simulator)
    try perform(session.map { .deleteFaults(of: $0) } ?? .deleteAllFaults, in: &context, on: &simulator)
    return try AdminReply.afterFaults(in: &context, on: &simulator) { _, _ in .deleted(deleted) }
  }

  /// The names of all faults, or of those of one session.
  private static func names(of session: String?, _ simulator: Simulator) -> [String] {
    simulator.world.faults.active.map(\.fault).filter { session == nil || $0.session == session }.map(\.label)
  }

  private static func beginAnew(
    _ phones: NewPhones, in context: inout AdminContext, on simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let deleted = names(of: nil, simulator)
    let beginning = try AdminProblem.wrapping { () throws(CommandProblem) in
      try simulator.beginAnew(wall: context.wall, with: phones)
    }
    context.add(beginning.events)
    let began = simulator.world.began.rfc3339
    return .unlocked {
      withExtendedLifetime(beginning) { .deleted(deleted, [.init("began", .string(began))]) }
    }
  }

  private static func perform(
    _ command: Command, in context: inout AdminContext, on simulator: inout Simulator
  ) throws(AdminProblem) {
    do throws(CommandProblem) {
      try simulator.world.perform(command, at: simulator.now(wall: context.wall))
    } catch {
      throw AdminProblem(error)
    }
    context.settle(&simulator)
  }

  /// State of a fault.
  private enum State: String {
    /// The time of the fault has not begun.
    case planned
    case active
    /// The fault has reached its limit of strikes.
    case spent
    /// The time of the fault is over.
    case expired
  }

  private static func state(_ active: ActiveFault, at now: Instant) -> State {
    if let from = active.fault.from, now < from { return .planned }
    if let until = active.fault.until, until <= now { return .expired }
    if active.fault.consequence.lastsUntilRemoved { return active.isApplied ? .active : .expired }
    return active.fault.limit.map { active.struck >= $0 } ?? false ? .spent : .active
  }

  private static func value(_ active: ActiveFault, in context: AdminContext, on simulator: Simulator) -> JSONValue {
    let shown = active.fault.given ?? FaultWriter.json(active.fault)
    let state = state(active, at: simulator.now(wall: context.wall).world)
    return [
      "name": .string(active.fault.label), "session": JSONValue(active.fault.session),
      "kind": .string(active.fault.consequence.kind),
      "when": shown["when"] ?? .null, "odds": shown["odds"] ?? .null, "then": shown["then"] ?? .null,
      "seen": .integer(Int64(clamping: active.seen)), "struck": .integer(Int64(clamping: active.struck)),
      "limit": active.fault.limit.map { JSONValue.integer(Int64(clamping: $0)) } ?? .null,
      "from": JSONValue(active.fault.from?.rfc3339),
      "until": JSONValue(active.fault.until?.rfc3339), "state": .string(state.rawValue),
      "inForce": .bool(state == .active),
      "devices": active.fault.consequence.isOfDevices ? JSONValue(active.done.count) : .null,
      "pending": JSONValue(simulator.world.devicesAhead(of: active)),
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
    case .reports: "calls"
    case .listener: "listener"
    }
  }
}
