import APNs
import Grammar
import Orders
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Faults: setting, listing, removing.
enum FaultRoutes {
  static let routes: [Route] = [
    Route("GET /v1/faults", id: "listFaults", tag: .faults, summary: "the faults that are set", answer: list)
      .meaning("In the order in which they were set, with how often each has struck.")
      .takes(.session("Only faults of this session."))
      .paged()
      .answers(page.answer("A page of faults."), .notFound, .forgotten),
    Route("POST /v1/faults", id: "setFault", tag: .faults, summary: "set a fault", answer: set)
      .meaning(
        """
        Replaces a fault with the same name. `from` and `until` count from now. With `session`, it applies only
        to the pushes and phones of that session, and its name need not differ from those of other sessions'
        faults.
        """
      )
      .body(.fault)
      .answers(.json("The fault.", shape.schema), .notFound, .conflict, .forgotten),
    Route("GET /v1/faults/{name}", id: "getFault", tag: .faults, summary: "one fault", answer: one)
      .meaning("As it was set, with how often it has struck.")
      .takes(name, .session("The session it was set for; default: a fault of no session."))
      .answers(.json("The fault.", shape.schema), .notFound),
    Route("DELETE /v1/faults/{name}", id: "deleteFault", tag: .faults, summary: "delete a fault", answer: remove)
      .meaning("Its effects on devices, connections and listeners are reverted, too.")
      .takes(name, .session("The session it was set for; default: a fault of no session."))
      .answers(.deleted, .notFound, .forgotten),
    Route(
      "POST /v1/reset", id: "reset", tag: .faults,
      summary: "delete all faults, or those of one session, or begin with new phones", answer: reset
    )
    .meaning(
      """
      Without a body, or with a session, only faults are deleted: pushes and clock stay as they are, and the
      effects of the faults are reverted.

      With `everything`, phones, tokens, clock and channels are as they were when the server started; pushes,
      events, calls, findings, sessions, hunts and faults are gone. Open connections get GOAWAY; one with a push that
      a fault has left without an answer stays open until the client closes it. Apps of the new phones report
      to their backends again. Numbers of pushes and events continue, and so do the counters of `GET
      /metrics`. A scenario of `POST /v1/scenarios` is ended; not possible while `pushpit run` plays one.
      """
    )
    .body(.reset)
    .answers(
      .json(
        "The deleted faults.",
        .object([
          .init("deleted", Answer.deletedNames),
          .maybe("began", .time, meaning: "With `everything`, the time of the new phones."),
        ])),
      .notFound,
      .forgotten),
  ]

  private static let page = ListPage("faults", of: shape.schema)
  private static let name = RouteParameter.path("name", .string, meaning: "The name it was set with.")

  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let limit = try context.query.limit()
    let start = try context.query.cursor() ?? 0
    let session = try context.query.value(Parameters.session)
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
    return .json(page.json(all, next: next))
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
    if let session = try context.query.value(Parameters.session) {
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
    if let session = try context.query.value(Parameters.session) {
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
    context.hunts.removeAll()
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
  private enum State: String, CaseIterable {
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

  private static let shape = Shape<(active: ActiveFault, shown: JSONValue, state: State, pending: Int)>(
    "Fault",
    members: [
      .init("name", .string) { .string($0.active.fault.label) },
      .init("session", .string.orNull, meaning: "The session it belongs to; null outside sessions.") {
        JSONValue($0.active.fault.session)
      },
      .init("kind", .words(["push", "connection", "devices", "prompts", "calls", "listener"])) {
        .string($0.active.fault.consequence.kind)
      },
      .init("when", .any, meaning: "As it was set, or null.") { $0.shown["when"] ?? .null },
      .init("odds", .any, meaning: "As they were set, or null.") { $0.shown["odds"] ?? .null },
      .init("then", .any, meaning: "As it was set, or null.") { $0.shown["then"] ?? .null },
      .init("seen", .whole, meaning: "Number of pushes, connections or calls that matched its condition.") {
        .integer(Int64(clamping: $0.active.seen))
      },
      .init("struck", .whole) { .integer(Int64(clamping: $0.active.struck)) },
      .init("limit", .integer.orNull) {
        $0.active.fault.limit.map { JSONValue.integer(Int64(clamping: $0)) } ?? .null
      },
      .init("from", .timeOrNull) { JSONValue($0.active.fault.from?.rfc3339) },
      .init("until", .timeOrNull) { JSONValue($0.active.fault.until?.rfc3339) },
      .init(
        "state", .words(State.self),
        meaning: """
          `planned` before `from`, `active` while it can strike or is in effect, `spent` when it has reached its `limit`
          of strikes, `expired` after `until`.
          """
      ) { .string($0.state.rawValue) },
      .init("inForce", .truth, meaning: "Whether its state is active.") { .bool($0.state == .active) },
      .init(
        "devices", .integer.orNull, meaning: "For a fault on devices, the number of devices affected; null for others."
      ) {
        $0.active.fault.consequence.isOfDevices ? JSONValue($0.active.done.count) : .null
      },
      .init(
        "pending", .whole,
        meaning: """
          For a fault on devices, the number of devices it has not looked at yet: they are reached some at a time,
          while pushes are served in between.
          """
      ) { JSONValue($0.pending) },
    ])

  private static func value(_ active: ActiveFault, in context: AdminContext, on simulator: Simulator) -> JSONValue {
    let state = state(active, at: simulator.now(wall: context.wall).world)
    let shown = active.fault.given ?? FaultWriter.json(active.fault)
    return shape.json((active, shown, state, simulator.world.devicesAhead(of: active)))
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
