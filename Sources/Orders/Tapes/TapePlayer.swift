import APNs
import Devices
import Simulation
import Timeline

/// Repeats the calls of a tape, and compares their outcomes with the recorded ones.
package struct TapePlayer: Sendable {
  package private(set) var world: World
  package private(set) var tally = TapeTally()
  /// Events of calls that have not been settled yet.
  private var unsettled: [WorldEvent] = []
  private var taken: [WorldEvent] = []

  package init(world: World) {
    self.world = world
    tally.began = world.began
    tally.reached = world.began
  }

  /// Plays one record.
  ///
  /// - Parameter settled: receives the events of each batch, with the world as it was then, and the time.
  /// - Returns: the first difference, if any; later calls are not played.
  package mutating func play(
    _ calls: [TapeCall], _ settled: ([WorldEvent], World, Now) -> Void = { _, _, _ in }
  ) -> TapeDifference? {
    tally.records += 1
    for call in calls {
      tally.count(call)
      world.apply(call.call, at: call.now)
      world.takeEvents(into: &taken)
      tally.count(taken)
      unsettled += taken
      let found = TapeOutcome(taken[...])
      let differs = found != call.outcome
      if call.isSettled || differs {
        settled(unsettled, world, call.now)
        unsettled.removeAll(keepingCapacity: true)
      }
      if differs {
        return TapeDifference(
          record: tally.records, callNumber: tally.calls, at: call.now,
          sentence: WorldCallDescription.of(call.call, events: taken, in: world), then: call.outcome, now: found)
      }
    }
    return nil
  }
}

/// Counts and times of the calls that have been played.
package struct TapeTally: Hashable, Sendable {
  package internal(set) var records: UInt64 = 0
  package private(set) var calls: UInt64 = 0
  package private(set) var pushes: UInt64 = 0
  package private(set) var orders: UInt64 = 0
  package private(set) var connections: UInt64 = 0
  package private(set) var events: UInt64 = 0
  package internal(set) var began = Instant(nanoseconds: 0)
  package internal(set) var reached = Instant(nanoseconds: 0)
  /// The time of the last call.
  package private(set) var last = Now(Instant(nanoseconds: 0))
  /// The highest number of a client's connection.
  package private(set) var lastConnection: UInt64 = 0

  package init() {}

  mutating func count(_ call: TapeCall) {
    calls += 1
    reached = max(reached, call.now.world)
    last = call.now
    switch call.call {
    case .opened(let id, _, _, _, _):
      connections += 1
      if id.number < ProviderConnectionID.firstSimulated { lastConnection = max(lastConnection, id.number) }
    case .performed: orders += 1
    case .closed, .received, .answerWent, .stepped, .waved: break
    }
  }

  mutating func count(_ list: [WorldEvent]) {
    events += UInt64(list.count)
    for case .push in list { pushes += 1 }
  }

  /// A line of text with the numbers of the tape.
  package var sentence: String {
    func some(_ count: UInt64, one: String, many: String) -> String { "\(count) \(count == 1 ? one : many)" }
    return "\(some(records, one: "record", many: "records")), \(some(calls, one: "call", many: "calls")): "
      + "\(some(connections, one: "connection", many: "connections")), \(some(pushes, one: "push", many: "pushes")), "
      + "\(some(orders, one: "order", many: "orders")); \(some(events, one: "event", many: "events")) in "
      + "\(DurationText.write(began.duration(to: reached))) of the world"
  }
}

/// A difference between this program's outcome and the recorded one.
package struct TapeDifference: Hashable, Sendable {
  package let record: UInt64
  /// Number of the call on the tape, from 1.
  package let callNumber: UInt64
  package let at: Now
  /// A description of the call.
  package let sentence: String
  package let then: TapeOutcome
  package let now: TapeOutcome

  package var text: String {
    let detail =
      then.sentence == now.sentence
      ? "Tape and program both have \(then.sentence), but ids, times or details differ."
      : "On the tape:     \(then.sentence)\n  In this program: \(now.sentence)"
    return "The first difference is at call \(callNumber), in record \(record), at \(at.world.rfc3339) in the world:"
      + " \(sentence).\n  \(detail)"
  }
}
