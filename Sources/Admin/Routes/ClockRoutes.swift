import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The world's clock: reading and moving it.
enum ClockRoutes {
  static let routes: [Route] = [
    Route("GET /v1/clock", id: "getClock", tag: .world, summary: "the world's clock", answer: show)
      .meaning(
        """
        Phones, activities and lifetimes follow this clock. Provider tokens do not: a real client stamps them
        with real time, and they are checked against the machine's clock.
        """
      )
      .answers(.json("The clock.", shape.schema)),
    Route("POST /v1/clock", id: "changeClock", tag: .world, summary: "move, stop or start the clock", answer: change)
      .meaning(
        """
        `advance` advances the clock; everything that is due in between happens in order before the answer. A
        long advance is done in steps, between which pushes and other requests are answered at the time that the
        world has reached; `GET /v1/clock` shows the `target` until it is reached, and further orders are
        rejected. Time never goes backwards, one advance is at most 366 days, and the clock ends at
        2200-01-01T00:00:00Z. If `mode` is given too, the mode is set first.
        """
      )
      .body(
        .clock,
        examples: [
          .init("eightHours", "Let every Live Activity run out", value: ["advance": "8h"]),
          .init("stand", "Stop the clock where it is", value: ["mode": "manual"]),
        ]
      )
      .answers(.json("The clock after the change.", shape.schema), .conflict),
  ]

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
    let change = try context.read(RequestBody.clock) { fields throws(InputProblem) in
      var change = ClockChange()
      try ClockChange.shape.read(fields, into: &change)
      return change
    }
    guard change.mode != nil || change.advance != nil else {
      throw AdminProblem(422, "advance, such as {\"advance\":\"8h\"}, or mode (wall or manual) is required.")
    }
    guard !simulator.clock.isBehind else {
      let (now, target) = (simulator.now(wall: context.wall).world, simulator.clock.target(wall: context.wall).world)
      throw AdminProblem(
        409,
        "The world is advancing to \(target.rfc3339) and has reached \(now.rfc3339). Send the next order after that one"
          + " is answered; GET /v1/clock shows the progress.")
    }
    if let step = change.advance {
      let room = simulator.now(wall: context.wall).world.duration(to: WorldClock.end)
      guard step <= room else {
        throw AdminProblem(
          422,
          "advance goes beyond \(WorldClock.end.rfc3339), where the world's clock ends; \(DurationText.write(room)) are"
            + " left.", field: "advance")
      }
    }
    switch change.mode {
    case .wall: simulator.clock.run(wall: context.wall)
    case .manual: simulator.clock.stand(wall: context.wall)
    case .offset, nil: break
    }
    if let step = change.advance { simulator.clock.advance(by: step) }
    simulator.step(wall: context.wall)
    context.settle(&simulator)
    let (clock, next, wall) = (simulator.clock, simulator.world.nextDue, context.wall)
    return .response {
      var response = AdminResponse.json(value(clock, next: next, wall: wall))
      response.awaitsClock = clock.isBehind
      return response
    }
  }

  private static let shape = Shape<(clock: WorldClock, next: Instant?, wall: Instant)>(
    "Clock",
    members: [
      .init(
        "mode", .words(WorldClock.Mode.self),
        meaning: """
          `wall` is the machine's time, `offset` runs ahead of it, `manual` is stopped until it is advanced. If the
          machine's clock is set back by more than a second, the world's time continues from where it is, ahead of it,
          in the same mode; `GET /v1/troubles` lists it as `clockSetBack`.
          """
      ) { .string($0.clock.mode.rawValue) },
      .init("now", .time) { .string($0.clock.now(wall: $0.wall).world.rfc3339) },
      .init("unixMilliseconds", .integer, meaning: "Milliseconds since 1970.") {
        .integer($0.clock.now(wall: $0.wall).world.milliseconds)
      },
      .init("offsetMilliseconds", .integer, meaning: "How far the world is ahead of the machine.") {
        .integer($0.clock.ahead(wall: $0.wall).wholeNanoseconds / 1_000_000)
      },
      .init("nextDue", .timeOrNull, meaning: "When the next thing is due; null for nothing.") {
        JSONValue($0.next?.rfc3339)
      },
      .maybe("target", .time, meaning: "The target of an advance; only until it is reached.") {
        $0.clock.isBehind ? .string($0.clock.target(wall: $0.wall).world.rfc3339) : nil
      },
    ])

  /// - Parameter next: when the next thing is due.
  private static func value(_ clock: WorldClock, next: Instant?, wall: Instant) -> JSONValue {
    shape.json((clock, next, wall))
  }
}
