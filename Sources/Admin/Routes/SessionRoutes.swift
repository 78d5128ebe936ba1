import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Sessions: one per test, each with its own pushes, devices and faults.
enum SessionRoutes {
  static let routes: [Route] = [
    Route("GET /v1/sessions", id: "listSessions", tag: .sessions, summary: "sessions, one per test", answer: list)
      .meaning("Open ones in the order of opening, then closed ones in the order of closing.")
      .takes(openness("Only open sessions, or only closed sessions.", opposite: "closed"))
      .paged()
      .answers(page.answer("A page of sessions.")),
    Route("POST /v1/sessions", id: "openSession", tag: .sessions, summary: "open a session", answer: open)
      .meaning(
        """
        From now on it gets the pushes that match all given criteria: the provider key, the topic, the device.
        No push belongs to two sessions: a session that could share pushes with an open one is answered 409.
        """
      )
      .body(.session)
      .answers(.created("The session.", SessionJSON.schema), .conflict),
    Route(
      "GET /v1/sessions/{name}", id: "getSession", tag: .sessions, summary: "one session, and what it has seen",
      answer: one
    )
    .takes(name)
    .answers(.json("The session.", SessionJSON.schema), .notFound, .forgotten),
    Route(
      "DELETE /v1/sessions/{name}", id: "deleteSession", tag: .sessions, summary: "delete a session", answer: delete
    )
    .meaning("With all its data. An open session is closed first; its faults are deleted.")
    .takes(name)
    .answers(.deleted, .notFound, .forgotten),
    Route(
      "PUT /v1/sessions/{name}/expectations", id: "replaceSessionExpectations", tag: .sessions,
      summary: "replace the expectations of a session", answer: expect
    )
    .meaning(
      """
      The session must be open. Only what happens from now on counts. An empty list removes all expectations.
      """
    )
    .takes(name)
    .body(.sessionExpectations)
    .answers(.json("The session.", SessionJSON.schema), .notFound, .error(409, "The session is closed."), .forgotten),
    Route(
      "POST /v1/sessions/{name}/close", id: "closeSession", tag: .sessions,
      summary: "close a session; it does not change after that",
      answer: close
    )
    .meaning(
      """
      Its faults are deleted. Later pushes, and later fates of earlier pushes, no longer change it. The answer
      waits until earlier broadcasts have reached their phones. Closing a closed session changes nothing and
      gives the same answer.
      """
    )
    .takes(name)
    .answers(.json("The final session.", SessionJSON.schema), .notFound, .forgotten),
  ]

  private static let page = ListPage("sessions", of: SessionJSON.schema)
  private static let name = RouteParameter.path("name", .string, meaning: "The name of the session.")
  private static let openness = Parameter("open", as: .truth)

  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let limit = try context.query.limit()
    let start = try context.query.cursor() ?? 0
    let wanted = try context.query.value(openness)
    let names = simulator.readers.sessions.names(isOpen: wanted)
    let asked = names.dropFirst(start).prefix(limit)
    let end = start + asked.count
    let listed = Set(asked)
    return try afterEnd(
      of: { simulator in simulator.readers.sessions.ending.contains { listed.contains($0) } }, in: &context,
      on: &simulator
    ) { _, simulator in list(asked, shown: [], next: end < names.count ? end : nil, on: simulator) }
  }

  /// Goes on once closed sessions have ended: evaluates some expectations per hold of the lock.
  ///
  /// - Parameter areEnding: whether any of those that matter has to end.
  private static func afterEnd(
    of areEnding: @escaping @Sendable (Simulator) -> Bool, in context: inout AdminContext,
    on simulator: inout Simulator, _ step: @escaping AdminReply.Step
  ) throws(AdminProblem) -> AdminReply {
    guard areEnding(simulator) else { return try step(&context, &simulator) }
    var work = BatchSize.checks
    context.add(simulator.endSessions(wall: context.wall, work: &work))
    let next: AdminReply.Step = { (context, simulator) throws(AdminProblem) in
      try afterEnd(of: areEnding, in: &context, on: &simulator, step)
    }
    return .more(next, isLong: true)
  }

  /// A step that goes on with a session.
  typealias Ending =
    @Sendable (_ session: TestSession, _ context: AdminContext, _ world: World) throws(AdminProblem) -> AdminReply

  /// Goes on with a session, once it has ended if it is closed.
  private static func ended(
    _ name: String, in context: inout AdminContext, on simulator: inout Simulator, _ step: @escaping Ending = shown
  ) throws(AdminProblem) -> AdminReply {
    let number = try session(name, simulator).number
    return try afterEnd(of: { $0.isEnding(number) }, in: &context, on: &simulator) {
      (context, simulator) throws(AdminProblem) in
      let ended = try session(name, simulator)
      guard ended.number == number else {
        throw AdminProblem(404, "The session \(name) was deleted meanwhile, and another one has its name.")
      }
      return try step(ended, context, simulator.world)
    }
  }

  private static let shown: Ending = { (session, _, world) in
    // Not the session itself: its next push would have to copy its data.
    let value = SessionJSON.value(session, world)
    return .json(value)
  }

  /// Lists sessions, a few per hold of the lock; a session that is deleted meanwhile is left out.
  private static func list(
    _ names: ArraySlice<String>, shown: [JSONValue], next: Int?, on simulator: Simulator
  ) -> AdminReply {
    let now = names.prefix(Self.shownAtOnce)
    let left = names.dropFirst(Self.shownAtOnce)
    let all = shown + now.compactMap { simulator.readers.sessions[$0].map { SessionJSON.value($0, simulator.world) } }
    guard left.isEmpty else { return .more { _, simulator in list(left, shown: all, next: next, on: simulator) } }
    return .json(page.json(all, next: next))
  }

  /// A session may name a thousand devices.
  private static let shownAtOnce = 10

  static func open(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let apps = simulator.readers.sessions.apps
    return .unlocked { [context] () throws(AdminProblem) in
      let read = context.readExpectation
      let draft = try context.read(RequestBody.session) { fields throws(InputProblem) in
        try SessionDraft(fields, apps: apps, read)
      }
      return .more { (context, simulator) throws(AdminProblem) in try open(draft, in: &context, on: &simulator) }
    }
  }

  private static func open(
    _ draft: SessionDraft, in context: inout AdminContext, on simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let order = try AdminProblem.checking { () throws(InputProblem) in try draft.request(in: simulator.world) }
    if let claim = draft.claim { return try open(order, with: claim, in: &context, on: &simulator) }
    return try afterEnd(of: { $0.readers.sessions.isHeld(order, claims: false) }, in: &context, on: &simulator) {
      (context, simulator) throws(AdminProblem) in try opened(order, in: &context, on: &simulator)
    }
  }

  private static func opened(
    _ order: SessionRequest, in context: inout AdminContext, on simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let now = simulator.now(wall: context.wall)
    let session = try AdminProblem.wrapping { () throws(CommandProblem) in try simulator.openSession(order, at: now) }
    if session.expiresAt != nil { context.hasChangedSessions = true }
    let value = SessionJSON.value(session, simulator.world)
    return .json(status: 201, value)
  }

  /// Looks for free phones, some devices per hold of the lock, and opens the session with them.
  private static func open(
    _ order: SessionRequest, with claim: PhoneClaim, in context: inout AdminContext, on simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    // Asked in each hold, because others are closed while phones are looked for.
    try afterEnd(of: { $0.readers.sessions.isHeld(order, claims: true) }, in: &context, on: &simulator) {
      (context, simulator) throws(AdminProblem) in try look(for: order, begun: claim, in: &context, on: &simulator)
    }
  }

  private static func look(
    for order: SessionRequest, begun: PhoneClaim, in context: inout AdminContext, on simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    var claim = begun
    let isMoreLeft = claim.look(in: simulator, at: simulator.now(wall: context.wall).world)
    if claim.isComplete, let last = claim.found.last {
      var order = order
      order.scope.devices = claim.found.sorted()
      let reply = try opened(order, in: &context, on: &simulator)
      simulator.readers.sessions.claimed(last)
      return reply
    }
    guard isMoreLeft else {
      guard let again = claim.again else { throw AdminProblem(claim.problem(in: simulator)) }
      // Sessions that are closed later are not waited for.
      let last = simulator.readers.sessions.lastEnding ?? 0
      return try afterEnd(of: { $0.readers.sessions.isEnding(last) }, in: &context, on: &simulator) {
        (context, simulator) throws(AdminProblem) in try open(order, with: again, in: &context, on: &simulator)
      }
    }
    return .more { [claim] (context, simulator) throws(AdminProblem) in
      try open(order, with: claim, in: &context, on: &simulator)
    }
  }

  static func one(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    try ended(context.captures[0], in: &context, on: &simulator)
  }

  /// Replaces the expectations of an open session. Only later events count.
  static func expect(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let apps = simulator.readers.sessions.apps
    return .unlocked { [context] () throws(AdminProblem) in
      let read = context.readExpectation
      let order = try context.read(RequestBody.sessionExpectations) { fields throws(InputProblem) in
        guard let value = fields.json("expect") else {
          throw InputProblem("expect is missing: a list of expectations, which may be empty.", field: "expect")
        }
        var order = SessionRequest()
        order.expect(try SessionDraft.expectations(value, read), apps: apps)
        order.given = value
        return order
      }
      return .more { (context, simulator) throws(AdminProblem) in
        let now = simulator.now(wall: context.wall).world
        let name = context.captures[0]
        let session = try AdminProblem.wrapping { () throws(CommandProblem) in
          try simulator.readers.sessions.expect(order, of: name, at: now)
        }
        let value = SessionJSON.value(session, simulator.world)
        return .json(value)
      }
    }
  }

  /// Closes a session once the broadcasts that have begun have reached their phones. Later events, including the
  /// removal of its faults, do not change it any more. It is closed even if the client goes away.
  static func close(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    try closed(context.captures[0], in: &context, on: &simulator, shown)
  }

  /// Closes a session, if it is open, and goes on with it once it has ended.
  static func closed(
    _ name: String, in context: inout AdminContext, on simulator: inout Simulator,
    _ step: @escaping Ending
  ) throws(AdminProblem) -> AdminReply {
    let now = simulator.now(wall: context.wall).world
    try AdminProblem.wrapping { () throws(CommandProblem) in try simulator.beginClosing(name, at: now) }
    context.hasChangedSessions = true
    return try ended(name, in: &context, on: &simulator, step)
  }

  static func delete(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let name = context.captures[0]
    let now = simulator.now(wall: context.wall)
    let deleted = try session(name, simulator)
    try AdminProblem.wrapping { () throws(CommandProblem) in
      try simulator.deleteSession(name)
      try simulator.world.perform(.deleteFaults(of: name), at: now)
    }
    context.settle(&simulator)
    // Freed when the lock is released: a ledger may be long.
    return .unlocked { withExtendedLifetime(deleted) { .deleted([name]) } }
  }

  static func session(_ name: String, _ simulator: Simulator) throws(AdminProblem) -> TestSession {
    try AdminProblem.wrapping { () throws(CommandProblem) in try simulator.readers.sessions.session(name) }
  }
}
