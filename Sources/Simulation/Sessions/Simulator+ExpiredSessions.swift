import Timeline

/// The end of sessions. Each has up to a thousand expectations, and evaluating one may take long, so it is done in
/// portions.
extension Simulator {
  /// Closing a session, compared with checking one push.
  private static let closing = 200

  /// Closes a session. Call `evaluateSessions` until it returns true.
  package mutating func beginClosing(_ name: String, at now: Instant) throws(CommandProblem) {
    try readers.sessions.close(name, at: now)
    world.output.tracesRefusals = readers.sessions.hasOpen
  }

  /// Continues to evaluate the expectations of closed sessions.
  ///
  /// - Parameter work: how much may be done, in checks of one push.
  /// - Returns: whether all are evaluated.
  package mutating func evaluateSessions(work: Int) -> Bool {
    var work = work
    return readers.sessions.evaluate(world, &work)
  }

  /// Closes a session and evaluates its expectations at once.
  package mutating func closeSession(_ name: String, at now: Instant) throws(CommandProblem) -> TestSession {
    let session = try readers.sessions.close(name, at: now, world)
    world.output.tracesRefusals = readers.sessions.hasOpen
    return session
  }

  /// Closes some sessions that have expired, and removes their faults. Call `step` and `settle` first.
  ///
  /// - Parameter work: how much may be done, in checks of one push.
  /// - Returns: the events that this caused, which the readers have read, and whether all are closed.
  package mutating func closeExpiredSessions(
    wall: Instant, work: Int
  ) -> (events: [WorldEvent], isDone: Bool) {
    var (events, work) = ([WorldEvent](), work)
    while work > 0 {
      guard readers.sessions.evaluate(world, &work) else { break }
      let now = now(wall: wall)
      do throws(CommandProblem) {
        if let name = expiredSession {
          expiredSession = nil
          try world.perform(.deleteFaults(of: name), at: now)
          events += settle()
        }
        guard let name = readers.sessions.expired(at: wall) else { return (events, true) }
        work -= Self.closing
        try beginClosing(name, at: now.world)
        expiredSession = name
      } catch {
        // It was in the registry a moment ago.
        preconditionFailure(error.sentence)
      }
    }
    return (events, false)
  }
}
