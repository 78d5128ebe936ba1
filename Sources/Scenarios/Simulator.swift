import Devices
import Simulation
import Timeline

/// The world with its clock and its readers: the state behind the one lock.
package struct Simulator: Sendable {
  package var world: World
  package var clock: WorldClock
  /// The clock before anything happened.
  private let firstClock: WorldClock
  package var readers: EventReaders
  /// Holds of the lock, in processor time of the holder; kept here for the metrics page. Holds for pushes are not
  /// included: reading the clock twice would slow down each batch of pushes.
  package var holds = LockTimes()
  /// Waits of connections for the lock with pushes, in wall time. A lock that is free is no wait.
  package var waits = LockTimes()

  /// Nil if no client of the admin API plays a scenario.
  package internal(set) var played: PlayedScenario?
  var scenariosOpened: UInt64 = 0

  /// Pushes whose answers wait on the wire, by stream; of open connections only.
  private var waiting: [ProviderConnectionID: [Int32: Waiting]] = [:]

  /// Sessions that wait for broadcasts before they are closed.
  var closings: [Closing] = []

  /// Troubles beside the world that the readers do not have yet.
  private var troubles: [ClientTrouble] = []

  /// Number of events in the last batch: the next is likely to be similar.
  private var lastCount = 0
  private static let mostReserved = 1000

  private struct Waiting: Sendable {
    let push: UInt64
    /// The answer that is sent when the push is released.
    let sent: SentAnswer
  }

  package init(world: World, clock: WorldClock, pushLogCapacity: Int, audits: Bool = false) {
    self.world = world
    self.clock = clock
    firstClock = clock
    readers = EventReaders(
      EventLogs(pushLogCapacity: pushLogCapacity, audits: audits), apps: world.fleet.plan.apps.map(\.bundleID)
    )
  }

  /// Passes every call at the world's entry points, with its events, to a tape from now on; nil stops recording.
  package mutating func record(_ tape: (@Sendable (TapeBatch) -> Void)?) {
    readers.tape = tape
    world.recordsCalls = tape != nil
  }

  package func now(wall: Instant) -> Now { clock.now(wall: wall) }

  // MARK: - Time

  /// Moves the world to the time of its clock, as far as is done in one go. Call this before any other operation, and
  /// settle afterwards.
  ///
  /// - Returns: true if the clock's time is reached.
  @discardableResult
  package mutating func step(wall: Instant) -> Bool {
    let ahead = clock.follow(wall: wall)
    let isThere = step(to: clock.target(wall: wall))
    if let ahead { tellSetBack(ahead, at: clock.now(wall: wall)) }
    return isThere
  }

  private mutating func tellSetBack(_ ahead: Duration, at now: Now) {
    let what =
      "The machine's clock was set back. The world's time never goes back: it continues from where it is, now"
      + " \(DurationText.write(ahead)) ahead of the machine's clock."
    report(ClientTrouble(at: now.world, kind: "clockSetBack", peer: "", sentence: what))
  }

  /// Moves the world to a given instant, as far as is done in one go.
  package mutating func step(to now: Now) -> Bool {
    if isAtWork {
      // Not beyond the time that is reached, because other work may be scheduled for this very time.
      _ = world.step(to: Now(world: clock.reached, wall: now.wall), events: eventsAtOnce)
      return false
    }
    let before = clock.reached
    let reached = world.step(to: now, events: eventsAtOnce)
    clock.reach(reached ?? now.world, isBehind: reached != nil)
    // A tape has no other trace of a clock that was moved by hand to a time when nothing was due.
    if reached == nil, clock.mode == .manual, before > .distantPast, before < clock.reached {
      world.step(of: 0, to: now)
    }
    return reached == nil
  }

  /// Lets faults and broadcasts reach further devices. Time may pass in between.
  package mutating func stepWaves(wall: Instant) { stepWaves(at: clock.now(wall: wall)) }

  /// Lets faults and broadcasts reach further devices at a given instant, or at the time that the world has reached, if
  /// that is earlier.
  package mutating func stepWaves(at now: Now) {
    world.stepWaves(at: clock.isBehind ? Now(world: clock.reached, wall: now.wall) : now)
  }

  /// True if work is left at the world's current time; that work comes before everything else.
  package var isAtWork: Bool {
    guard clock.isBehind, let due = world.nextDue else { return false }
    return due <= clock.reached
  }

  /// The time at which `step` must be called again, by the machine's clock; nil if nothing is scheduled.
  package func wakeUp(wall: Instant) -> Instant? {
    if clock.isBehind || world.hasWaves { return wall }
    guard let due = world.nextDue else { return nil }
    // Even if the clock is stopped: work that is due as the world begins, for example.
    if due <= clock.now(wall: wall).world { return wall }
    return clock.wall(at: due, wall: wall)
  }

  // MARK: - Readers

  /// Number of events after which work is interrupted: each is compared with every expectation of a scenario, which
  /// takes 50 to 200 ns.
  var eventsAtOnce: Int {
    let expectations = readers.logs.observer?.expectations.count ?? 0
    return min(World.eventsPerStep, max(1, 20_000 / (1 + expectations)))
  }

  /// True if events or troubles wait for the readers.
  package var hasEvents: Bool { world.hasEvents || !troubles.isEmpty }

  /// Adds a trouble beside the world, which it does not change: the readers get it, and a tape does not. Settle at
  /// once, so that it keeps its place among the events of the world.
  package mutating func report(_ trouble: ClientTrouble) { troubles.append(trouble) }

  /// Takes the events into a list, and passes them to the readers.
  ///
  /// - Parameter step: the scenario step that caused them; nil if no step did.
  package mutating func settle(into events: inout [WorldEvent], of step: Int? = nil) {
    readers.read(take(into: &events, of: step))
  }

  /// Takes the events, for readers elsewhere.
  package mutating func takeBatch() -> EventBatch {
    var events: [WorldEvent] = []
    events.reserveCapacity(min(lastCount, Self.mostReserved))
    let batch = take(into: &events, of: nil)
    lastCount = events.count
    return batch
  }

  private mutating func take(into events: inout [WorldEvent], of step: Int?) -> EventBatch {
    world.takeEvents(into: &events)
    let beside = troubles.count
    if beside > 0 {
      events += troubles.map { .trouble($0) }
      troubles = []
    }
    return EventBatch(
      events: events, calls: world.recordsCalls ? world.takeRecordedCalls() : [], step: step, beside: beside)
  }

  /// Begins with new phones and the first clock: logs, sessions, faults and channels are gone, and a scenario that a
  /// client of the admin API plays is ended. Counters of the metrics continue. The readers have read everything before.
  ///
  /// - Parameter phones: made before, for the time at which everything begins.
  package mutating func beginAnew(wall: Instant, with phones: NewPhones? = nil) throws(CommandProblem) -> Beginning {
    let scenario = endScenario(wall: wall)
    guard readers.logs.observer == nil else {
      throw CommandProblem(
        .impossible, field: "everything",
        sentence: "A scenario is running, and it needs its phones: wait for its end, or stop it.")
    }
    settleWaitingAnswers(at: clock.now(wall: wall))
    clock = firstClock
    let world = world.beginAnew(at: phones?.now ?? clock.now(wall: wall), with: phones)
    self.world.tracesRefusals = false
    let events = settle()
    return Beginning(events: events, world: world, readers: readers.beginAnew(), scenario: scenario)
  }

  /// The phones for a new beginning at that time.
  package func newPhones(wall: Instant) -> NewPhones { NewPhones(world, at: firstClock.now(wall: wall)) }

  /// The result of a new beginning.
  package struct Beginning: Sendable {
    /// Read by the readers already.
    package let events: [WorldEvent]
    /// The state before it. Held until the lock is released, because freeing it takes long.
    let world: EndedWorld
    let readers: EventReaders
    let scenario: PlayedScenario?
  }

  package mutating func openSession(_ order: SessionRequest, at now: Now) throws(CommandProblem) -> TestSession {
    let expiry = order.life.map { now.wall.advanced(by: $0) }
    let session = try readers.sessions.open(order, at: now.world, until: expiry)
    world.tracesRefusals = true
    return session
  }

  package mutating func deleteSession(_ name: String) throws(CommandProblem) {
    try readers.sessions.delete(name)
    world.tracesRefusals = readers.sessions.hasOpen
  }

  /// Records the progress of answers on a connection: which had to wait, which were sent, and which never will be.
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
    if !known.isEmpty, world.peer(of: connection) != nil { waiting[connection] = known }
  }

  /// Answers that wait on the wire are sent when the connections end, and the push log no longer knows their pushes
  /// then. So they are counted now.
  private mutating func settleWaitingAnswers(at now: Now) {
    let all = waiting
    waiting = [:]
    for (connection, answers) in all.sorted(by: { $0.key.number < $1.key.number }) {
      for (_, answer) in answers.sorted(by: { $0.key < $1.key }) {
        // What a fault delays is sent by the world itself.
        if case .pending = answer.sent { continue }
        world.answerWent(to: answer.push, on: connection, answer.sent, at: now)
      }
    }
  }

  /// Stops tracking a connection's answers.
  package mutating func forgetAnswers(on connection: ProviderConnectionID) { waiting[connection] = nil }

  /// Shows the latest events to their readers and returns them, for callers outside the push path.
  package mutating func settle() -> [WorldEvent] {
    var events: [WorldEvent] = []
    settle(into: &events)
    return events
  }
}
