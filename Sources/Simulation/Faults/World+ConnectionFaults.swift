import APNs
import Devices
import Timeline
import WireFormats

/// Effects of faults on connections.
extension World {
  /// Carries out a fault on a connection.
  ///
  /// - Parameter stream: number of the current push's stream; 0 if the strike was not triggered by a push.
  mutating func strike(
    _ connection: ProviderConnectionID, with consequence: ConnectionFault, of fault: Fault, stream: Int32,
    at now: Instant
  ) -> FaultRegistry.PushThere {
    let strike = faults.strike(connection, with: consequence, of: fault, stream: stream)
    for order in strike.orders { output.append(.wire(connection, order)) }
    if let (order, after, ends) = strike.later {
      hold(order, on: connection, until: now.advanced(by: after), ending: ends)
    }
    return strike.push
  }

  mutating func hold(
    _ order: WireCommand, on connection: ProviderConnectionID, until due: Instant, answering push: PushRecord? = nil,
    ending mark: FaultRegistry.Mark? = nil
  ) {
    let device = push?.address?.device
    let number = faults.held.add(
      .init(connection: connection, order: order, push: push?.sequence, device: device, ends: mark))
    partition.schedule.add(.wire(number), of: device, due: due)
  }

  /// A delayed command is sent to the wire.
  mutating func release(_ number: UInt64, at now: Instant) {
    guard let held = faults.held.take(number) else { return }
    send(held, at: now)
  }

  mutating func send(_ held: DelayedWireCommands.Held, at now: Instant) {
    if let mark = held.ends {
      guard let order = faults.lift(mark, from: held.connection, by: held.order) else { return }
      output.append(.wire(held.connection, order))
      return
    }
    output.append(.wire(held.connection, held.order))
    if let push = held.push, case .respond(_, let response) = held.order {
      output.append(.answerSent(push: push, .answer(status: response.status), at: now))
    }
  }

  /// A connection for pushes was opened.
  mutating func strike(opening connection: ProviderConnectionID, to environment: Environment, at now: Instant) {
    if !faults.waiting.isEmpty {
      faults.watch(connection, to: environment, at: now)
      planLook(at: now)
    }
    guard !faults.opening.isEmpty, let fault = faults.strike(opening: connection, to: environment, at: now),
      case .connection(let consequence) = fault.consequence
    else { return }
    output.append(.connectionStruck(fault.label, connection, at: now))
    _ = strike(connection, with: consequence, of: fault, stream: 0, at: now)
  }

  /// A push has arrived while a fault waits for idle connections.
  mutating func endSilence(of connection: ProviderConnectionID, at now: Instant) {
    if faults.endSilence(of: connection, at: now) { planLook(at: now) }
  }

  /// Strikes the connections that have been idle long enough, and schedules the next check.
  mutating func lookForSilence(at now: Instant) {
    for place in faults.waiting {
      while let (connection, fault, consequence) = faults.strikeSilent(place, by: now) {
        output.append(.connectionStruck(fault.label, connection, at: now))
        _ = strike(connection, with: consequence, of: fault, stream: 0, at: now)
      }
    }
    planLook(at: now)
  }

  private mutating func planLook(at now: Instant) {
    guard let (due, replaces) = faults.planLook(at: now) else { return }
    // The check scheduled before is obsolete.
    if replaces { partition.countStale(1, faults) }
    partition.schedule.add(.silence, due: due)
  }
}
