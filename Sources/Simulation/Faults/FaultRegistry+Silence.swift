import APNs
import Devices
import Timeline

/// Idle connections, and the faults that wait for them.
extension FaultRegistry {
  /// A push has arrived on the connection.
  ///
  /// - Returns: whether a fault that had struck it for being idle waits for the next idle time.
  mutating func endSilence(of connection: ProviderConnectionID, at now: Instant) -> Bool {
    lastHeard[connection.number] = now
    var hadStruck = false
    for place in waiting where !armed[place].silences.isEmpty {
      guard armed[place].silences.removeValue(forKey: connection.number) != nil else { continue }
      watch(connection, place, since: now)
      hadStruck = true
    }
    return hadStruck
  }

  /// A connection was opened: matching faults wait for it to become idle.
  mutating func watch(_ connection: ProviderConnectionID, to environment: Environment, at now: Instant) {
    lastHeard[connection.number] = now
    for place in waiting where armed[place].isFor(connection, environment) {
      watch(connection, place, since: now)
    }
  }

  /// A fault was set: it waits for the open connections to become idle. Their idle time starts now, unless the time of
  /// their last push is known.
  mutating func watch(_ connections: [OpenConnection], by name: String, at now: Instant) {
    guard let place = waiting.first(where: { armed[$0].fault.name == name }) else { return }
    for connection in connections {
      let since = lastHeard[connection.id.number] ?? now
      lastHeard[connection.id.number] = since
      guard armed[place].isFor(connection.id, connection.environment) else { continue }
      watch(connection.id, place, since: since)
    }
  }

  private mutating func watch(_ connection: ProviderConnectionID, _ place: Int, since: Instant) {
    guard let due = due(place, since: since) else { return }
    armed[place].quiet.add(connection, due: due)
  }

  /// When a fault strikes an idle connection; nil for never.
  private func due(_ place: Int, since: Instant) -> Instant? {
    let fault = armed[place].fault
    guard let idle = fault.condition.idle else { return nil }
    let due = max(since.advanced(by: idle), fault.from ?? .distantPast)
    if let until = fault.until, due >= until { return nil }
    return due
  }

  /// Takes the next connection that has been idle long enough for a fault, if any.
  private mutating func takeSilent(_ place: Int, by now: Instant) -> ProviderConnectionID? {
    while let (_, connection) = armed[place].quiet.takeDue(by: now) {
      silencesLookedAt += 1
      guard let since = lastHeard[connection.number], let due = due(place, since: since) else { continue }
      guard due <= now else {
        armed[place].quiet.add(connection, due: due)
        continue
      }
      armed[place].silences[connection.number] = since
      return connection
    }
    return nil
  }

  /// When idle times are checked next.
  var nextSilence: Instant? { waiting.compactMap { armed[$0].quiet.nextDue }.min() }

  /// The next connection that a fault strikes for being idle, with the effect, if any.
  mutating func strikeSilent(
    _ place: Int, by now: Instant
  ) -> (connection: ProviderConnectionID, fault: Fault, consequence: ConnectionFault)? {
    guard case .connection(let consequence) = armed[place].fault.consequence else { return nil }
    while let connection = takeSilent(place, by: now) {
      if counts(place, of: connection.number) { return (connection, armed[place].fault, consequence) }
    }
    return nil
  }

  /// Computes when to check idle times next.
  ///
  /// - Returns: the time, unless it is scheduled already, and whether a later scheduled check is now obsolete.
  mutating func planLook(at now: Instant) -> (due: Instant, replaces: Bool)? {
    let planned = nextLook.flatMap { $0 > now ? $0 : nil }
    nextLook = planned
    guard let next = nextSilence.map({ max($0, now) }), planned.map({ next < $0 }) ?? true else { return nil }
    nextLook = next
    return (next, planned != nil)
  }
}
