import APNs
import Devices
import Timeline

/// Connections on which no push comes, and the faults that wait for that.
extension FaultRegistry {
  /// A connection has brought a push.
  ///
  /// - Returns: whether a fault that had struck it for its silence waits for the next one.
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

  /// A connection has come: every fault that is for it waits for its silence.
  mutating func watch(_ connection: ProviderConnectionID, to environment: Environment, at now: Instant) {
    lastHeard[connection.number] = now
    for place in waiting where armed[place].isFor(connection, environment) {
      watch(connection, place, since: now)
    }
  }

  /// A fault has been set: it waits for the silence of those that are there. They are taken to have spoken now, unless
  /// it is known when they did.
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

  /// When a fault strikes a connection that says nothing; nil for never.
  private func due(_ place: Int, since: Instant) -> Instant? {
    let fault = armed[place].fault
    guard let idle = fault.condition.idle else { return nil }
    let due = max(since.advanced(by: idle), fault.from ?? .distantPast)
    if let until = fault.until, due >= until { return nil }
    return due
  }

  /// Takes the next connection that has been silent for long enough for a fault; nil for none.
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

  /// When a silence is to be looked at next.
  var nextSilence: Instant? { waiting.compactMap { armed[$0].quiet.nextDue }.min() }

  /// The next connection that a fault strikes for its silence, and what it does to it; nil for none.
  mutating func strikeSilent(
    _ place: Int, by now: Instant
  ) -> (connection: ProviderConnectionID, fault: Fault, consequence: ConnectionFault)? {
    guard case .connection(let consequence) = armed[place].fault.consequence else { return nil }
    while let connection = takeSilent(place, by: now) {
      if counts(place, of: connection.number) { return (connection, armed[place].fault, consequence) }
    }
    return nil
  }

  /// Finds out when to look at silences next.
  ///
  /// - Returns: when, if that has not been said, and whether a later look that was asked for is for nothing now.
  mutating func planLook(at now: Instant) -> (due: Instant, replaces: Bool)? {
    let planned = nextLook.flatMap { $0 > now ? $0 : nil }
    nextLook = planned
    guard let next = nextSilence, planned.map({ next < $0 }) ?? true else { return nil }
    nextLook = next
    return (next, planned != nil)
  }
}
