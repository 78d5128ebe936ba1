import Simulation
import Timeline

/// The end of sessions. Each has up to a thousand expectations, and evaluating one may take long, so it is done in
/// portions. Expectations see what the session's faults have done, so these are removed afterwards.
extension Simulator {
  /// Closing a session, and removing its faults, each compared with checking one push.
  private static let closing = 200

  /// A session that will be closed.
  struct Closing: Sendable {
    let session: String
    let number: UInt64
    /// Number of waves that had begun: the session waits for the broadcasts among them.
    let waves: UInt64
  }

  /// Closes a session, as soon as the broadcasts that have begun have reached their phones. Call `endSessions` until it
  /// is not ending any more.
  package mutating func beginClosing(_ name: String, at now: Instant) throws(CommandProblem) {
    let session = try readers.sessions.session(name)
    guard session.isOpen, world.hasBroadcasts(amongFirst: world.wavesBegun) else { return try close(name, at: now) }
    guard !closings.contains(where: { $0.number == session.number }) else { return }
    closings.append(Closing(session: name, number: session.number, waves: world.wavesBegun))
  }

  private mutating func close(_ name: String, at now: Instant) throws(CommandProblem) {
    try readers.sessions.close(name, at: now)
    world.tracesRefusals = readers.sessions.hasOpen
  }

  /// True while a session waits to be closed, or its expectations are evaluated.
  package func isEnding(_ session: UInt64) -> Bool {
    closings.contains { $0.number == session } || readers.sessions.isEnding(session)
  }

  /// Closes a session and evaluates its expectations at once.
  package mutating func closeSession(_ name: String, at now: Instant) throws(CommandProblem) -> TestSession {
    let session = try readers.sessions.close(name, at: now, world)
    world.tracesRefusals = readers.sessions.hasOpen
    return session
  }

  /// Closes some sessions that have expired.
  ///
  /// - Parameter work: how much may be done, in checks of one push; what was done is subtracted.
  /// - Returns: whether all are closed. They still have to end.
  package mutating func closeExpiredSessions(wall: Instant, work: inout Int) -> Bool {
    let now = now(wall: wall).world
    while let name = readers.sessions.expired(at: wall) {
      guard work > 0 else { return false }
      work -= Self.closing
      do throws(CommandProblem) {
        try close(name, at: now)
      } catch {
        // It was in the registry a moment ago.
        preconditionFailure(error.sentence)
      }
    }
    return true
  }

  /// Continues to evaluate the expectations of closed sessions, and removes the faults of those that are evaluated.
  ///
  /// - Parameter work: how much may be done, in checks of one push; what was done is subtracted.
  /// - Returns: the events that this caused, which the readers have read.
  package mutating func endSessions(wall: Instant, work: inout Int) -> [WorldEvent] {
    var events = endClosings(wall: wall, &work)
    while work > 0, let name = readers.sessions.end(world, &work) {
      work -= Self.closing
      do throws(CommandProblem) {
        try world.perform(.deleteFaults(of: name), at: now(wall: wall))
      } catch {
        // Removing no faults is no mistake either.
        preconditionFailure(error.sentence)
      }
      events += settle()
    }
    return events
  }

  /// Lets broadcasts reach their phones, and closes the sessions that have waited for them.
  private mutating func endClosings(wall: Instant, _ work: inout Int) -> [WorldEvent] {
    var events: [WorldEvent] = []
    while work > 0, let closing = closings.first {
      guard let session = readers.sessions[closing.session], session.number == closing.number, session.isOpen else {
        // Deleted or expired meanwhile.
        closings.removeFirst()
        continue
      }
      if world.hasBroadcasts(amongFirst: closing.waves) {
        stepWaves(wall: wall)
        events += settle()
        // As much as one hold of the lock may have.
        work = 0
      } else {
        closings.removeFirst()
        try? close(closing.session, at: now(wall: wall).world)
        work -= Self.closing
      }
    }
    return events
  }

  /// True if sessions wait to be closed, or closed ones have not ended.
  package var hasEndingSessions: Bool { !closings.isEmpty || !readers.sessions.ending.isEmpty }

  /// The machine's time at which sessions must be looked after: one expires, or closed ones have to end.
  package func sessionsDue(wall: Instant) -> Instant? { hasEndingSessions ? wall : readers.sessions.nextExpiry }
}
