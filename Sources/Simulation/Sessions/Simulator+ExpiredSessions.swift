import Timeline

extension Simulator {
  /// Closes the sessions that have expired, and removes their faults. Call `step` and `settle` first.
  ///
  /// - Returns: the events that this caused; the readers have read them.
  package mutating func closeExpiredSessions(wall: Instant) -> [WorldEvent] {
    var events: [WorldEvent] = []
    for name in readers.sessions.expired(at: wall) {
      let now = now(wall: wall)
      do throws(CommandProblem) {
        _ = try closeSession(name, at: now.world)
        try world.perform(.deleteFaults(of: name), at: now)
      } catch {
        // It was in the registry a moment ago.
        preconditionFailure(error.sentence)
      }
      events += settle()
    }
    return events
  }
}
