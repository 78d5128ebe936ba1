import Grammar
import Hunting
import Scenarios
import Simulation
import WireFormats

/// Hunts: searches for the smallest trouble that fails a test, played by a client.
enum HuntRoutes {
  static let routes: [Route] = [
    Route("POST /v1/hunts", id: "openHunt", tag: .hunts, summary: "begin a hunt", answer: open)
      .meaning(
        """
        A search for the smallest trouble that fails a test. The client plays its test again and again: it asks for the
        next variant, opens a session, sets the variant's faults in it, runs the test, and sends the verdict. The same
        seed gives the same variants. At most \(HuntRegistry.most) hunts are kept; `POST /v1/reset` with `everything`
        ends them.
        """
      )
      .body(.hunt)
      .answers(
        .created("The hunt.", HuntJSON.report.schema),
        .error(503, "\(HuntRegistry.most) hunts are open, all of them asked for within the last hour.")),
    Route("GET /v1/hunts/{id}", id: "getHunt", tag: .hunts, summary: "what a hunt has found so far", answer: one)
      .takes(id)
      .answers(.json("The hunt.", HuntJSON.report.schema), .notFound),
    Route("DELETE /v1/hunts/{id}", id: "deleteHunt", tag: .hunts, summary: "delete a hunt", answer: remove)
      .takes(id)
      .answers(.deleted, .notFound),
    Route(
      "POST /v1/hunts/{id}/next", id: "nextOfHunt", tag: .hunts, summary: "the variant to play next", answer: next
    )
    .meaning(
      """
      First the test itself three times, then once without any push that reaches a phone, then variants, each with
      faults for its session. A test that does not pass by itself ends the hunt.
      """
    )
    .takes(id)
    .answers(.json("The variant, or the end.", HuntJSON.next.schema), .notFound),
    Route(
      "POST /v1/hunts/{id}/verdict", id: "judgeVariant", tag: .hunts, summary: "the verdict about a variant",
      answer: judge
    )
    .meaning(
      """
      Closes the session of the variant, if the client has not, and reads from it what has happened. Only failures of
      the same place are the same failure.
      """
    )
    .takes(id)
    .body(.huntVerdict)
    .answers(
      .json("The hunt.", HuntJSON.report.schema), .notFound, .error(409, "The variant is not being played."), .forgotten
    ),
  ]

  private static let id = RouteParameter.path("id", .string, meaning: "The id that its answer gave.")

  static func open(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    .unlocked { [context] () throws(AdminProblem) in
      let order = try context.read(.hunt) { fields throws(InputProblem) in try HuntOrder(fields) }
      let hunt = try context.hunts.open(order, at: context.wall)
      return .json(status: 201, HuntJSON.report.json(hunt))
    }
  }

  static func one(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    .unlocked { [context] () throws(AdminProblem) in
      let hunt = try context.hunts.hunt(context.captures[0])
      return .json(HuntJSON.report.json(hunt))
    }
  }

  static func remove(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    try context.hunts.remove(context.captures[0])
    return .deleted([context.captures[0]])
  }

  static func next(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    .unlocked { [context] () throws(AdminProblem) in
      let row = try context.hunts.change(context.captures[0], at: context.wall) { (hunt) throws(AdminProblem) in
        (next: hunt.next(), hunt: hunt)
      }
      return .json(HuntJSON.next.json(row))
    }
  }

  static func judge(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    .unlocked { [context] () throws(AdminProblem) in
      let hunt = try context.hunts.hunt(context.captures[0])
      let verdict = try context.read(.huntVerdict) { fields throws(InputProblem) in try HuntVerdict(fields) }
      // Before its session is closed, which may be another one.
      try hunt.check(verdict.variant)
      guard let name = verdict.session else { return try take(verdict, nil, in: context) }
      return .more { (context, simulator) throws(AdminProblem) in
        try SessionRoutes.closed(name, in: &context, on: &simulator) { (session, context, _) throws(AdminProblem) in
          .unlocked { () throws(AdminProblem) in try take(verdict, HuntedSession(session), in: context) }
        }
      }
    }
  }

  private static func take(
    _ verdict: HuntVerdict, _ session: HuntedSession?, in context: AdminContext
  ) throws(AdminProblem) -> AdminReply {
    let hunt = try context.hunts.change(context.captures[0], at: context.wall) { (hunt) throws(AdminProblem) in
      try hunt.take(verdict, in: session)
      return hunt
    }
    return .json(HuntJSON.report.json(hunt))
  }
}
