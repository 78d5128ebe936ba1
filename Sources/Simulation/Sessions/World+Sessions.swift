import Timeline

extension World {
  /// Takes back what the faults of one session did, and nothing of any other.
  mutating func heal(session: String, at now: Instant) throws(CommandProblem) {
    for fault in faults.armed.map(\.fault) where fault.session == session { try remove(fault.name, at: now) }
    for connection in faults.release(session).map({ ConnectionID($0) }) where isOpen(connection) {
      events.append(.wire(connection, .thaw))
    }
  }
}
