import APNs
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// A scenario file that a client wants to play here.
package struct ScenarioOrder: Sendable {
  package let name: String
  package let text: String
  /// Nil for the file's own.
  package let seed: UInt64?
  /// The files that its settings name.
  package let files: [String: String]

  init(_ fields: Fields) throws(InputProblem) {
    name = try fields.text("name") ?? "scenario"
    guard let text = fields.json("text")?.string else {
      throw fields.problem("text", "text is required: a scenario file.", code: .missingKey)
    }
    self.text = text
    let seed = try fields.text("seed")
    self.seed = seed.flatMap { UInt64($0) }
    if let seed, self.seed == nil {
      throw fields.problem("seed", "seed must be a whole number in quotes, not \(Wording.quoted(seed)).")
    }
    var files: [String: String] = [:]
    for member in try fields.object("files")?.members ?? [] {
      guard let text = member.value.string else {
        throw fields.problem("files", "files must have names with texts.", code: .wrongType)
      }
      files[member.key] = text
    }
    self.files = files
  }
}

/// Reads a scenario for this server. Passed in, because this target does not depend on scenario files.
package typealias ScenarioReading = @Sendable (ScenarioOrder) throws(InputProblem) -> ScenarioDirector

/// Scenarios that a client plays on this server's phones, such as `pushpit cells run` on those of each cell.
enum ScenarioRoutes {
  static let routes: [Route] = [
    Route(
      "POST /v1/scenarios", id: "openScenario", tag: .world,
      summary: "begin with new phones, and get ready to play a scenario", answer: open
    )
    .meaning(
      """
      For clients that play one scenario on several servers, such as `pushpit cells run` on the cells of a
      fleet. The server plays its part on its own phones: their steps, and pushes of the scenario to them.
      Like a reset with `everything`, this deletes sessions, faults and logs; a scenario that is being played
      is ended. The clock is stopped until the scenario is ended.

      The settings of the file must be the server's; those that it leaves out are the server's, too. A backend
      is not started.
      """
    )
    .body(.scenario)
    .answers(.created("The scenario; nothing of it has happened.", shape.schema), .busy),
    Route(
      "GET /v1/scenarios/{id}", id: "getScenario", tag: .world,
      summary: "a scenario that is being played, and its report so far", answer: one
    )
    .takes(id)
    .answers(.json("The scenario.", shape.schema), .notFound),
    Route(
      "POST /v1/scenarios/{id}/move", id: "moveScenario", tag: .world, summary: "play a scenario up to a time",
      answer: move
    )
    .meaning(
      """
      Answers when everything until then has happened: steps, their effects, and what else the phones do
      meanwhile. A time that has passed changes nothing. Other requests are answered in between. If the client
      goes away, the scenario stays where it is, and the next request moves it on.
      """
    )
    .takes(id)
    .body(.scenarioMove)
    .answers(.json("The scenario.", shape.schema), .notFound, .conflict),
    Route("DELETE /v1/scenarios/{id}", id: "endScenario", tag: .world, summary: "end a scenario", answer: end)
      .meaning("The phones stay as they are. The clock runs again if it ran before.")
      .takes(id)
      .answers(.deleted, .notFound),
  ]

  private static let id = RouteParameter.path("id", .string, meaning: "Of the answer to `POST /v1/scenarios`.")

  private static let shape = Shape<(played: PlayedScenario, now: Instant, report: ScenarioReport?)>(
    "Scenario",
    members: [
      .init("id", .string) { .string("\($0.played.number)") },
      .init("name", .string) { .string($0.played.director.scenario.name) },
      .init("seed", .string, meaning: "A string, because it may exceed the range of JSON numbers.") {
        .string("\($0.played.director.scenario.seed)")
      },
      .init("cell", .string.orNull, meaning: "Null if the server has the whole fleet.") {
        JSONValue($0.played.director.scenario.plan.cell?.text)
      },
      .init("now", .time) { .string($0.now.rfc3339) },
      .init("nanoseconds", .string, meaning: "The same, exactly.") { .string("\($0.now.nanoseconds)") },
      .init("passed", .string, meaning: "How much of the scenario's time has passed.") {
        .string(DurationText.exact($0.played.director.passed))
      },
      .init("due", .string.orNull, meaning: "The time of the next step or evaluation; null after the last.") {
        JSONValue($0.played.director.due.map { DurationText.exact($0) })
      },
      .init("length", .string) { .string(DurationText.exact($0.played.director.scenario.length)) },
      .init("over", .truth, meaning: "Whether everything is played and evaluated.") { .bool($0.played.isOver) },
      .maybe(
        "report", .object,
        meaning: """
          What `GET` shows: the report of this server's phones, with the numbers that a client needs to merge it with
          those of other cells. A cell's own verdicts mean nothing for the whole fleet.
          """
      ) { $0.report?.part },
    ])

  static func open(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    .unlocked { [context] () throws(AdminProblem) in
      let order = try context.read(RequestBody.scenario) { fields throws(InputProblem) in try ScenarioOrder(fields) }
      return open(order, context.readScenario)
    }
  }

  private static func open(_ order: ScenarioOrder, _ read: @escaping ScenarioReading) -> AdminReply {
    .apart { _ throws(AdminProblem) in
      let director: ScenarioDirector
      do throws(InputProblem) {
        director = try read(order)
      } catch {
        throw AdminProblem(InputProblem(error.description, field: "text", at: error.place))
      }
      let observer = ScenarioDirector.observer(director.scenario)
      return .more { (context, simulator) throws(AdminProblem) in
        let beginning = try AdminProblem.wrapping { () throws(CommandProblem) in
          try simulator.openScenario(director, observer, wall: context.wall)
        }
        context.add(beginning.events)
        guard let played = simulator.played else { throw AdminProblem(404, "The scenario was ended.") }
        let value = value(played, on: simulator, at: context.wall)
        return .unlocked { withExtendedLifetime(beginning) { .json(status: 201, value) } }
      }
    }
  }

  static func one(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let played = try played(context, simulator)
    let (now, report) = (simulator.now(wall: context.wall).world, played.director.report(simulator))
    return .unlocked { .json(shape.json((played, now, report))) }
  }

  /// Moves the scenario in portions, with other requests in between, as long as the client waits. Another request may
  /// move it further.
  static func move(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let played = try played(context, simulator)
    let (begins, target) = try context.read(RequestBody.scenarioMove) { fields throws(InputProblem) in
      let text = try fields.text("begins")
      let begins = text.flatMap { Int64($0) }
      if let text, begins == nil || text.hasPrefix("-") {
        throw fields.problem(
          "begins", "begins must be in nanoseconds since 1970, in quotes, not \(Wording.quoted(text)).")
      }
      guard let target = try fields.duration("to") else {
        throw fields.problem("to", "to is required: the time of the scenario, such as 10m.", code: .missingKey)
      }
      return (begins.map { Instant(nanoseconds: $0) }, target)
    }
    if begins != nil || !played.hasBegun {
      try AdminProblem.wrapping { () throws(CommandProblem) in
        try simulator.beginScenario(at: begins, wall: context.wall)
      }
    }
    return try move(to: target, &context, &simulator)
  }

  private static func move(
    to target: Duration, _ context: inout AdminContext, _ simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    _ = try played(context, simulator)
    var events: [WorldEvent] = []
    let isThere = simulator.moveScenario(to: target, wall: context.wall) { events += $0 }
    context.add(events)
    guard isThere else {
      return .more(
        { (context, simulator) throws(AdminProblem) in try move(to: target, &context, &simulator) }, isLong: true)
    }
    let value = value(try played(context, simulator), on: simulator, at: context.wall)
    return .json(value)
  }

  static func end(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let number = try played(context, simulator).number
    let ended = simulator.endScenario(wall: context.wall)
    context.settle(&simulator)
    return .unlocked { withExtendedLifetime(ended) { .deleted(["\(number)"]) } }
  }

  private static func played(
    _ context: AdminContext, _ simulator: Simulator
  ) throws(AdminProblem) -> PlayedScenario {
    try AdminProblem.wrapping { () throws(CommandProblem) in try simulator.scenario(context.captures[0]) }
  }

  private static func value(_ played: PlayedScenario, on simulator: Simulator, at wall: Instant) -> JSONValue {
    shape.json((played, simulator.now(wall: wall).world, nil))
  }
}
