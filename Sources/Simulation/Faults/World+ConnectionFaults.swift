import APNs
import Devices
import Timeline

extension World {
  /// What becomes of the push that a connection was struck by.
  enum PushThere {
    /// Delivered and answered.
    case served
    /// Not delivered, and not answered.
    case lost(SentAnswer.Cause)
    case refused(RejectionReason)
  }

  /// Carries out on a connection what a fault says.
  ///
  /// - Parameter stream: number of the push at hand; 0 where it is no push that was struck.
  mutating func carry(
    out consequence: ConnectionFault, _ fault: Fault, on connection: ConnectionID, stream: Int32, at now: Instant
  ) -> PushThere {
    func tell(_ order: WireOrder) { events.append(.wire(connection, order)) }
    switch consequence {
    case .goAway(let goAway): return send(goAway, fault, on: connection, stream: stream, at: now)
    case .streams(let count, let open, let surplus, let back, let after):
      tell(.streams(count, open: open, surplus: surplus))
      if let back {
        hold(.streams(back, open: .finish, surplus: nil), on: connection, until: now.advanced(by: after))
      } else {
        faults.mark(connection, .narrowed, by: fault.name)
      }
    case .window(let bytes, let withheld, let back, let after):
      tell(.window(bytes, withheld: withheld))
      if let back {
        hold(.window(back, withheld: false), on: connection, until: now.advanced(by: after))
      } else {
        faults.mark(connection, .squeezed, by: fault.name)
      }
    case .freeze(let answersPings):
      tell(.freeze(answersPings: answersPings))
      faults.mark(connection, .frozen, by: fault.name)
      return .lost(.connectionFrozen)
    case .close: tell(.close)
    case .halfClose(let saysGoodbye): tell(.halfClose(saysGoodbye: saysGoodbye))
    case .abort:
      tell(.abort)
      return .lost(.connectionAborted)
    case .sticks(let reason):
      faults.sticky[connection.number, default: []].append(
        FaultDesk.Sticky(reason: reason, fault: fault.name, label: fault.label, scope: fault.condition.scope))
      faults.mark(connection, .sick, by: fault.name)
      return .refused(reason)
    case .readsSlowly(let rate):
      tell(.readSlowly(bytesPerSecond: rate))
      faults.mark(connection, .slow, by: fault.name)
    case .skew(let skew):
      faults.skews[connection.number] = skew
      faults.mark(connection, .skewed, by: fault.name)
    }
    return .served
  }

  private mutating func send(
    _ goAway: FaultGoAway, _ fault: Fault, on connection: ConnectionID, stream: Int32, at now: Instant
  ) -> PushThere {
    let last = goAway.lastStream(before: stream)
    func order(closes: Bool) -> WireOrder {
      .goAway(lastStream: last, code: goAway.code, debug: goAway.debug, closes: closes)
    }
    events.append(.wire(connection, order(closes: goAway.closes && !goAway.isTwice && !goAway.isLast)))
    faults.leaving[connection.number] = last
    if goAway.isTwice { hold(order(closes: goAway.closes), on: connection, until: now.advanced(by: .seconds(1))) }
    if goAway.isLast {
      events.append(.wire(connection, .freeze(answersPings: goAway.answersPings)))
      faults.mark(connection, .frozen, by: fault.name)
    }
    // What lies above the last stream was never seen.
    if last < stream { return .lost(.goAway) }
    return goAway.isLast ? .lost(.connectionFrozen) : .served
  }

  /// Takes back what a fault has done to connections.
  mutating func cure(_ name: String) {
    for (connection, kind) in faults.takeMarks(of: name) {
      switch kind {
      case .frozen: events.append(.wire(connection, .thaw))
      case .slow: events.append(.wire(connection, .readSlowly(bytesPerSecond: nil)))
      case .narrowed: events.append(.wire(connection, .streamsAsBefore))
      // What HTTP/2 begins with (RFC 9113 section 6.9.2), and we too.
      case .squeezed: events.append(.wire(connection, .window(65_535, withheld: false)))
      case .sick:
        let left = faults.sticky[connection.number]?.filter { $0.fault != name } ?? []
        faults.sticky[connection.number] = left.isEmpty ? nil : left
      case .skewed: faults.skews[connection.number] = nil
      }
    }
  }

  // MARK: - Connections that open

  mutating func strike(opening connection: ConnectionID, to environment: Environment, at now: Instant) {
    if !faults.waiting.isEmpty {
      faults.watch(connection, to: environment, at: now)
      planLook(at: now)
    }
    guard !faults.opening.isEmpty, let fault = faults.strike(opening: connection, to: environment, at: now),
      case .connection(let consequence) = fault.consequence
    else { return }
    events.append(.connectionStruck(fault.label, connection, at: now))
    _ = carry(out: consequence, fault, on: connection, stream: 0, at: now)
  }

  // MARK: - Connections that are silent

  /// A push has come while some fault waits for silence.
  mutating func heard(_ connection: ConnectionID, at now: Instant) {
    if faults.endSilence(of: connection, at: now) { planLook(at: now) }
  }

  /// Strikes the connections that have been silent for long enough, and plans when to look again.
  mutating func lookForSilence(at now: Instant) {
    for place in faults.waiting {
      let fault = faults.armed[place].fault
      guard case .connection(let consequence) = fault.consequence else { continue }
      while let connection = faults.takeSilent(place, by: now) {
        guard faults.counts(place, of: connection.number) else { continue }
        events.append(.connectionStruck(fault.label, connection, at: now))
        _ = carry(out: consequence, fault, on: connection, stream: 0, at: now)
      }
    }
    planLook(at: now)
  }

  private mutating func planLook(at now: Instant) {
    let planned = faults.nextLook.flatMap { $0 > now ? $0 : nil }
    faults.nextLook = planned
    guard let next = faults.nextSilence, planned.map({ next < $0 }) ?? true else { return }
    // The look that was planned is for nothing when it comes.
    if planned != nil { agendaHasStale(1) }
    faults.nextLook = next
    plan(.silence, due: next)
  }

  // MARK: - Clocks

  /// What time it is for the provider tokens of a connection.
  func skewed(_ now: Now, on connection: ConnectionID) -> Now {
    guard let skew = faults.skews[connection.number] else { return now }
    return Now(world: now.world, wall: now.wall.advanced(by: skew))
  }
}
