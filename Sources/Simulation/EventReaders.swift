import APNs

/// What has happened in one turn of the world, with the calls that brought it about where a tape is made.
package struct EventBatch: Sendable {
  package let events: [Event]
  let calls: [RecordedCall]
  /// The step of a scenario whose doing it is; nil for what came by itself.
  let step: Int?

  package var isEmpty: Bool { events.isEmpty && calls.isEmpty }
}

/// Everything that reads events: they never change the world, and need not hold it while they read.
package struct EventReaders: Sendable {
  package var chronicle: Chronicle
  package var sessions: SessionDesk
  /// Where a tape is written, if one is; called in the order of what happens.
  var tape: (@Sendable (TapeBatch) -> Void)?

  package init(_ chronicle: Chronicle, apps: [String]) {
    self.chronicle = chronicle
    sessions = SessionDesk(apps: apps)
  }

  /// Batches are read in the order in which the world made them.
  package mutating func read(_ batch: EventBatch) {
    if let tape, !batch.calls.isEmpty { tape(TapeBatch(calls: batch.calls, events: batch.events)) }
    chronicle.read(batch.events, of: batch.step)
    if sessions.hasOpen { sessions.read(batch.events) }
  }
}
