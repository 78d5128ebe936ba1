import Devices
import Timeline

/// The world with its clock and its keeping readers: what stands behind the one lock.
package struct Simulator: Sendable {
  package var world: World
  package var clock: WorldClock
  package var readers: EventReaders
  /// Kept here for the page of metrics.
  package var holds = LockHoldTimes()

  /// Pushes whose answers wait in the wire, by their streams.
  private var waiting: [ProviderConnectionID: [Int32: Waiting]] = [:]

  /// Events of the last batch: the next is likely to have as many.
  private var lastCount = 0
  private static let mostReserved = 1000

  private struct Waiting: Sendable {
    let push: UInt64
    /// What is sent once it leaves.
    let sent: SentAnswer
  }

  package init(world: World, clock: WorldClock, pushLogCapacity: Int, audits: Bool = false) {
    self.world = world
    self.clock = clock
    readers = EventReaders(
      EventLogs(pushLogCapacity: pushLogCapacity, audits: audits), apps: world.partition.fleet.plan.apps.map(\.bundleID)
    )
  }

  /// Hands every call at the world's entry points, and what came of it, to a tape from now on; nil for no more.
  package mutating func record(_ tape: (@Sendable (TapeBatch) -> Void)?) {
    readers.tape = tape
    world.output.recordsCalls = tape != nil
  }

  package func now(wall: Instant) -> Now { clock.now(wall: wall) }

  // MARK: - Time

  /// Moves the world on to where its clock is, as far as is done in one go. To be called before anything else happens,
  /// and to be settled.
  ///
  /// - Returns: whether it is there.
  @discardableResult
  package mutating func step(wall: Instant) -> Bool {
    clock.follow(wall: wall)
    return step(to: clock.target(wall: wall))
  }

  /// The same towards an instant that is not the clock's.
  package mutating func step(to now: Now) -> Bool {
    if isAtWork {
      // No further than that, for somebody may wait to have his turn at this very time.
      _ = world.step(to: Now(world: clock.reached, wall: now.wall))
      return false
    }
    let reached = world.step(to: now)
    clock.reach(reached ?? now.world, isBehind: reached != nil)
    return reached == nil
  }

  /// Lets faults reach some more of their devices. Time may pass while they do.
  package mutating func stepWaves(wall: Instant) { stepWaves(at: clock.now(wall: wall)) }

  /// The same at an instant that is not the clock's, unless the world has yet to come so far.
  package mutating func stepWaves(at now: Now) {
    world.stepWaves(at: clock.isBehind ? Now(world: clock.reached, wall: now.wall) : now)
  }

  /// Whether something is left to do at the very time at which the world is; it comes before all else.
  package var isAtWork: Bool {
    guard clock.isBehind, let due = world.nextDue else { return false }
    return due <= clock.reached
  }

  /// When `step` is to be called again, by the machine's clock; nil where nothing falls due by itself.
  package func wakeUp(wall: Instant) -> Instant? {
    if clock.isBehind || world.hasWaves { return wall }
    guard let due = world.nextDue else { return nil }
    // Also on a clock that stands: what is due as the world begins, say.
    if due <= clock.now(wall: wall).world { return wall }
    return clock.wall(at: due, wall: wall)
  }

  // MARK: - Readers

  /// Shows what has happened to the readers, and hands it on.
  ///
  /// - Parameter step: the step of a scenario whose doing it is; nil for what came by itself.
  package mutating func settle(into events: inout [WorldEvent], of step: Int? = nil) {
    world.takeEvents(into: &events)
    readers.read(
      EventBatch(events: events, calls: world.output.recordsCalls ? world.takeRecordedCalls() : [], step: step))
  }

  /// Takes what has happened, for readers that read it elsewhere.
  package mutating func takeBatch() -> EventBatch {
    var events: [WorldEvent] = []
    events.reserveCapacity(min(lastCount, Self.mostReserved))
    world.takeEvents(into: &events)
    lastCount = events.count
    return EventBatch(events: events, calls: world.output.recordsCalls ? world.takeRecordedCalls() : [], step: nil)
  }

  package mutating func openSession(_ order: SessionRequest, at now: Instant) throws(CommandProblem) -> TestSession {
    let session = try readers.sessions.open(order, at: now)
    world.output.tracesRefusals = true
    return session
  }

  package mutating func closeSession(_ name: String, at now: Instant) throws(CommandProblem) -> TestSession {
    let session = try readers.sessions.close(name, at: now, world)
    world.output.tracesRefusals = readers.sessions.hasOpen
    return session
  }

  package mutating func deleteSession(_ name: String) throws(CommandProblem) {
    try readers.sessions.delete(name)
    world.output.tracesRefusals = readers.sessions.hasOpen
  }

  /// What the wire says of answers on a connection: what had to wait, what has left since, and what never will.
  package mutating func answersWent(
    _ progress: [(stream: Int32, AnswerProgress)], on connection: ProviderConnectionID, at now: Now
  ) {
    var known = waiting.removeValue(forKey: connection) ?? [:]
    var unknown: Set<Int32> = []
    for stream in progress.map(\.stream) where known[stream] == nil {
      if let push = world.heldAnswer(on: StreamID(connection, stream)) {
        known[stream] = Waiting(push: push, sent: .pending(.delay))
      } else {
        unknown.insert(stream)
      }
    }
    if !world.managesChannels(connection) {
      for record in readers.logs.pushLog.pushes(on: connection, unknown) {
        known[record.stream.number] = Waiting(push: record.sequence, sent: record.sent)
      }
    }
    for (stream, word) in progress {
      guard let push = known.removeValue(forKey: stream) else { continue }
      let sent: SentAnswer
      switch word {
      case .waits(let wait):
        known[stream] = push
        sent = .pending(wait)
      case .left: sent = push.sent
      case .reset(let code): sent = .reset(code: code)
      case .cut: sent = push.sent.status.map { .incomplete(status: $0) } ?? .nothing(.connectionEnded)
      case .never(let cause): sent = .nothing(cause)
      }
      world.answerWent(to: push.push, on: connection, sent, at: now)
    }
    if !known.isEmpty { waiting[connection] = known }
  }

  /// Nothing more will be said of a connection's answers.
  package mutating func forgetAnswers(on connection: ProviderConnectionID) { waiting[connection] = nil }

  /// The same for callers that are not on the path of a push.
  package mutating func settle() -> [WorldEvent] {
    var events: [WorldEvent] = []
    settle(into: &events)
    return events
  }
}
