import APNs
import Timeline

/// The faults that strike connections without a push: those that open, and those that are idle. In the order of the
/// list of faults.
struct ConnectionFaultIndex: Sendable {
  /// Indices of the faults in the list.
  private(set) var opening: [Int]
  private(set) var idle: [Int]

  init(_ faults: [ActiveFault] = []) {
    opening = faults.indices.filter { faults[$0].fault.condition.trigger == .opening }
    idle = faults.indices.filter { faults[$0].fault.condition.idleTime != nil }
  }

  /// The first fault that strikes a connection when it opens, if any.
  ///
  /// - Parameter faults: the list of faults, where the strike is counted.
  func strike(
    opening connection: ProviderConnectionID, to environment: Environment, in faults: inout [ActiveFault],
    at now: Instant
  ) -> Fault? {
    for place in opening where faults[place].isScheduled(at: now) && faults[place].matches(connection, environment) {
      if faults[place].drawsStrike(for: connection.number) { return faults[place].fault }
    }
    return nil
  }

  /// The faults for which a connection has been idle long enough. They do not strike again in this idle time.
  ///
  /// - Parameter name: the only fault that is checked; nil for all.
  /// - Returns: indices of the faults.
  func due(
    _ connection: ProviderConnectionID, to environment: Environment, _ idleTime: inout ConnectionFaultState.IdleTime,
    by name: String?, in faults: [ActiveFault], at now: Instant
  ) -> [Int] {
    places(by: name, in: faults).filter { place in
      guard let due = faults[place].due(idleTime, at: now), due <= now, faults[place].matches(connection, environment)
      else { return false }
      idleTime.struck.insert(faults[place].serial)
      return true
    }
  }

  /// Time of the next check of a connection's idle time; nil if no fault waits for it.
  ///
  /// - Parameter name: the only fault that counts; nil for all.
  func nextCheck(
    of connection: ProviderConnectionID, to environment: Environment, _ idleTime: ConnectionFaultState.IdleTime,
    by name: String?, in faults: [ActiveFault], at now: Instant
  ) -> Instant? {
    var next: Instant?
    for place in places(by: name, in: faults) {
      guard let due = faults[place].due(idleTime, at: now), next.map({ due < $0 }) ?? true,
        faults[place].matches(connection, environment)
      else { continue }
      next = due
    }
    return next
  }

  private func places(by name: String?, in faults: [ActiveFault]) -> [Int] {
    name.map { name in idle.filter { faults[$0].fault.name == name } } ?? idle
  }
}

extension ActiveFault {
  /// The time at which it strikes an idle connection, now at the earliest; nil for never, or if it has struck in this
  /// idle time.
  fileprivate func due(_ idleTime: ConnectionFaultState.IdleTime, at now: Instant) -> Instant? {
    guard let length = fault.condition.idleTime, !idleTime.struck.contains(serial) else { return nil }
    let due = max(idleTime.since.advanced(by: length), fault.from ?? .distantPast, now)
    if let until = fault.until, due >= until { return nil }
    return due
  }
}
