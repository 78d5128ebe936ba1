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
    let value = value(played, on: simulator, at: context.wall)
    let report = played.director.report(simulator)
    return .unlocked { .json(value.adding("report", report.part)) }
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
    let (director, scenario) = (played.director, played.director.scenario)
    let now = simulator.now(wall: wall).world
    return [
      "id": .string("\(played.number)"), "name": .string(scenario.name), "seed": .string("\(scenario.seed)"),
      "cell": JSONValue(scenario.plan.cell?.text), "now": .string(now.rfc3339),
      "nanoseconds": .string("\(now.nanoseconds)"), "passed": .string(DurationText.exact(director.passed)),
      "due": JSONValue(director.due.map { DurationText.exact($0) }),
      "length": .string(DurationText.exact(scenario.length)), "over": .bool(played.isOver),
    ]
  }
}

extension JSONValue {
  fileprivate func adding(_ key: String, _ value: JSONValue) -> JSONValue {
    .object((members ?? []) + [.init(key, value)])
  }
}
