import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The world's clock: reading and moving it.
enum ClockRoutes {
  /// The clock's state, for an order that waited for it.
  static func answer(_ simulator: Simulator, wall: Instant) -> AdminResponse {
    .json(value(simulator.clock, next: simulator.world.nextDue, wall: wall))
  }

  static func show(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    let (clock, next, wall) = (simulator.clock, simulator.world.nextDue, context.wall)
    return .json(value(clock, next: next, wall: wall))
  }

  /// The mode is set first, then the clock moves. Everything due must have happened before the answer, and a long
  /// advance takes several portions.
  static func change(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let (mode, advance) = try context.read(RequestBody.clock) { fields throws(InputProblem) in
      (
        try fields.choice("mode", [(name: "wall", value: WorldClock.Mode.wall), (name: "manual", value: .manual)]),
        fields.json("advance")
      )
    }
    let length = try advance.map { value throws(AdminProblem) in try Self.step(value) }
    guard mode != nil || length != nil else {
      throw AdminProblem(422, "advance, such as {\"advance\":\"8h\"}, or mode (wall or manual) is required.")
    }
    guard !simulator.clock.isBehind else {
      let (now, target) = (simulator.now(wall: context.wall).world, simulator.clock.target(wall: context.wall).world)
      throw AdminProblem(
        409,
        "The world is advancing to \(target.rfc3339) and has reached \(now.rfc3339). Send the next order after that one"
          + " is answered; GET /v1/clock shows the progress.")
    }
    if let step = length {
      let room = simulator.now(wall: context.wall).world.duration(to: WorldClock.end)
      guard step <= room else {
        throw problem(
          "advance goes beyond \(WorldClock.end.rfc3339), where the world's clock ends; \(DurationText.write(room)) are"
            + " left.")
      }
    }
    switch mode {
    case .wall: simulator.clock.run(wall: context.wall)
    case .manual: simulator.clock.stand(wall: context.wall)
    case .offset, nil: break
    }
    if let step = length { simulator.clock.advance(by: step) }
    simulator.step(wall: context.wall)
    context.settle(&simulator)
    let (clock, next, wall) = (simulator.clock, simulator.world.nextDue, context.wall)
    return .response {
      var response = AdminResponse.json(value(clock, next: next, wall: wall))
      response.awaitsClock = clock.isBehind
      return response
    }
  }

  private static func step(_ value: JSONValue) throws(AdminProblem) -> Duration {
    let step: Duration?
    switch value {
    case .string(let text):
      if text.hasPrefix("-") { throw problem("advance must not be negative: time does not go back.") }
      step = DurationText.parse(text)
    case .integer(let seconds):
      if seconds < 0 { throw problem("advance must not be negative: time does not go back.") }
      step = .seconds(seconds)
    case .double(let seconds):
      if seconds < 0 { throw problem("advance must not be negative: time does not go back.") }
      // Larger values are rejected below anyway, and not every double can be a duration.
      step = .seconds(min(seconds, 1e12))
    default: step = nil
    }
    guard let step else {
      throw problem("advance must be a duration like 90s, 15m, 1h30m, 500ms or 2d, or a number of seconds.")
    }
    guard step <= WorldClock.longestStep else { throw problem("advance must be at most 366d.") }
    return step
  }

  private static func problem(_ sentence: String) -> AdminProblem { AdminProblem(422, sentence, field: "advance") }

  /// - Parameter next: when the next thing is due.
  private static func value(_ clock: WorldClock, next: Instant?, wall: Instant) -> JSONValue {
    let now = clock.now(wall: wall).world
    var members: [JSONValue.Member] = [
      .init("mode", .string(clock.mode.rawValue)), .init("now", .string(now.rfc3339)),
      .init("unixMilliseconds", .integer(now.milliseconds)),
      .init("offsetMilliseconds", .integer(clock.ahead(wall: wall).wholeNanoseconds / 1_000_000)),
      .init("nextDue", JSONValue(next?.rfc3339)),
    ]
    if clock.isBehind { members.append(.init("target", .string(clock.target(wall: wall).world.rfc3339))) }
    return .object(members)
  }
}
