import Timeline

/// The end of sessions. Each has up to a thousand expectations, and evaluating one may take long, so it is done in
/// portions. Expectations see what the session's faults have done, so these are removed afterwards.
extension Simulator {
  /// Closing a session, and removing its faults, each compared with checking one push.
  private static let closing = 200

  /// Closes a session. Call `endSessions` until it is not ending any more.
  package mutating func beginClosing(_ name: String, at now: Instant) throws(CommandProblem) {
    try readers.sessions.close(name, at: now)
    world.output.tracesRefusals = readers.sessions.hasOpen
  }

  /// Closes a session and evaluates its expectations at once.
  package mutating func closeSession(_ name: String, at now: Instant) throws(CommandProblem) -> TestSession {
    let session = try readers.sessions.close(name, at: now, world)
    world.output.tracesRefusals = readers.sessions.hasOpen
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
        try beginClosing(name, at: now)
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
    var events: [WorldEvent] = []
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

  /// True if closed sessions have not ended.
  package var hasEndingSessions: Bool { !readers.sessions.ending.isEmpty }

  /// The machine's time at which sessions must be looked after: one expires, or closed ones have to end.
  package func sessionsDue(wall: Instant) -> Instant? { hasEndingSessions ? wall : readers.sessions.nextExpiry }
}
