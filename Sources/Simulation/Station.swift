import Timeline

/// The world with its clock and its keeping readers: what stands behind the one lock.
package struct Station: Sendable {
  package var world: World
  package var clock: WorldClock
  package var chronicle: Chronicle
  /// Where a tape is written, if one is; called with the lock held, in the order of what happens.
  private var tape: (@Sendable (TapeBatch) -> Void)?
  /// Beside the chronicle, for it asks the world whose a push is.
  package var sessions = SessionDesk()

  package init(world: World, clock: WorldClock, ledgerCapacity: Int, audits: Bool = false) {
    self.world = world
    self.clock = clock
    chronicle = Chronicle(ledgerCapacity: ledgerCapacity, audits: audits)
  }

  /// Hands every call at the world's doors, and what came of it, to a tape from now on; nil for no more.
  package mutating func record(_ tape: (@Sendable (TapeBatch) -> Void)?) {
    self.tape = tape
    world.records = tape != nil
  }

  package func now(wall: Instant) -> Now { clock.now(wall: wall) }

  /// Shows what has happened to the readers, and hands it on; `events` is emptied first and keeps its storage.
  ///
  /// - Parameter step: the step of a scenario whose doing it is; nil for what came by itself.
  package mutating func settle(into events: inout [Event], of step: Int? = nil) {
    world.takeEvents(into: &events)
    if let tape {
      let calls = world.takeRecordedCalls()
      // The list of events is shared, not copied: the next turn begins another.
      if !calls.isEmpty { tape(TapeBatch(calls: calls, events: events)) }
    }
    chronicle.read(events, of: step)
    if sessions.hasOpen { sessions.read(events, world) }
  }

  /// The same for callers that are not on the path of a push.
  package mutating func settle() -> [Event] {
    var events: [Event] = []
    settle(into: &events)
    return events
  }
}
