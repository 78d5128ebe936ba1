import Timeline

/// The sessions that are closed but have not ended: they keep their phones and their pushes until then.
extension SessionRegistry {
  /// Number of phones whose release takes as long as checking one push.
  private static let releasedPerCheck = 10

  /// The names of the closed sessions whose end is not complete.
  package var ending: [String] { closed.ending.map(\.name) }

  /// True if the session of that number is closed, but its end is not complete.
  package func isEnding(_ number: UInt64) -> Bool { closed.ending.contains { $0.number == number } }

  /// The session that ends last of those that are closed.
  package var lastEnding: UInt64? { closed.ending.last?.number }

  /// True if another session has to end first: it has the same phones, or its pushes could be the same.
  ///
  /// - Parameter claims: whether phones of no other session are added to the scope.
  package func isHeld(_ order: SessionRequest, claims: Bool) -> Bool {
    guard !held.isEmpty else { return false }
    // The faults of a session that was dropped still have its name.
    if let name = order.name, self[name] == nil, ending.contains(name) { return true }
    guard claims else { return index.overlapping(order.scope).map(held.contains) ?? false }
    return closed.ending.contains { $0.scope.devices == nil && $0.scope.overlaps(order.scope) }
  }

  /// Continues to evaluate the expectations of the session that ends first.
  ///
  /// - Parameter work: how much may be done; what was done is subtracted.
  /// - Returns: its name, once all are evaluated. Its faults are to be removed next.
  package mutating func end(_ world: World, _ work: inout Int) -> String? {
    guard let ended = closed.end(world, &work) else { return nil }
    work -= ((ended.scope.devices?.count ?? 0) + ended.reached.count) / Self.releasedPerCheck
    release(ended)
    return ended.name
  }

  /// Closes a session and evaluates its expectations at once.
  package mutating func close(_ name: String, at now: Instant, _ world: World) throws(CommandProblem) -> TestSession {
    try close(name, at: now)
    while !ending.isEmpty {
      var work = Int.max
      _ = end(world, &work)
    }
    return try session(name)
  }

  /// Lets other sessions have its phones and pushes.
  mutating func release(_ session: EndingSession) {
    held.remove(session.place)
    index.remove(session.place, session.scope, reached: session.reached)
  }
}
