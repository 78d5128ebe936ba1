import APNs
import Devices
import Timeline

/// Makes the calls of a tape again, and compares what comes of each with what came of it then.
package struct TapePlayer: Sendable {
  package private(set) var world: World
  package private(set) var tally = TapeTally()
  /// Events of the calls that have not been settled yet.
  private var unsettled: [WorldEvent] = []
  private var taken: [WorldEvent] = []

  package init(world: World) {
    self.world = world
    tally.began = world.began
    tally.reached = world.began
  }

  /// Plays one record.
  ///
  /// - Parameter settled: shown the events of each settling, in the world as it was then.
  /// - Returns: the first difference, where there is one; what comes after it is not played.
  package mutating func play(
    _ calls: [TapeCall], _ settled: ([WorldEvent], World) -> Void = { _, _ in }
  ) -> TapeDifference? {
    tally.records += 1
    for call in calls {
      tally.count(call)
      world.redo(call.call, at: call.now)
      world.takeEvents(into: &taken)
      tally.count(taken)
      unsettled += taken
      let found = TapeOutcome(taken[...])
      let differs = found != call.outcome
      if call.isSettled || differs {
        settled(unsettled, world)
        unsettled.removeAll(keepingCapacity: true)
      }
      if differs {
        return TapeDifference(
          record: tally.records, callNumber: tally.calls, at: call.now,
          sentence: WorldCallDescription.of(call.call, taken, world), then: call.outcome, now: found)
      }
    }
    return nil
  }
}

/// How much has been played.
package struct TapeTally: Hashable, Sendable {
  package internal(set) var records: UInt64 = 0
  package private(set) var calls: UInt64 = 0
  package private(set) var pushes: UInt64 = 0
  package private(set) var orders: UInt64 = 0
  package private(set) var connections: UInt64 = 0
  package private(set) var events: UInt64 = 0
  package internal(set) var began = Instant(nanoseconds: 0)
  package internal(set) var reached = Instant(nanoseconds: 0)

  package init() {}

  mutating func count(_ call: TapeCall) {
    calls += 1
    reached = max(reached, call.now.world)
    switch call.call {
    case .opened: connections += 1
    case .performed: orders += 1
    case .closed, .troubled, .received, .answerWent, .advanced, .stepped, .waved: break
    }
  }

  mutating func count(_ list: [WorldEvent]) {
    events += UInt64(list.count)
    for case .push in list { pushes += 1 }
  }

  /// In a line, for people.
  package var sentence: String {
    func some(_ count: UInt64, _ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }
    return "\(some(records, "record", "records")), \(some(calls, "call", "calls")): "
      + "\(some(connections, "connection", "connections")), \(some(pushes, "push", "pushes")), "
      + "\(some(orders, "order", "orders")); \(some(events, "event", "events")) in "
      + "\(DurationText.write(began.duration(to: reached))) of the world"
  }
}

/// Where a program makes something else of a tape than the one that wrote it.
package struct TapeDifference: Hashable, Sendable {
  package let record: UInt64
  /// Of all calls of the tape, from 1.
  package let callNumber: UInt64
  package let at: Now
  /// What the call was.
  package let sentence: String
  package let then: TapeOutcome
  package let now: TapeOutcome

  package var text: String {
    let detail =
      then.sentence == now.sentence
      ? "The tape and this program both say \(then.sentence), but ids, times or details in it differ."
      : "The tape says:            \(then.sentence)\n  This program makes of it: \(now.sentence)"
    return "It first differs at call \(callNumber), in record \(record), at \(at.world.rfc3339) in the world:"
      + " \(sentence).\n  \(detail)"
  }
}
