import APNs
import Devices
import Timeline
import WireFormats

/// What faults do to connections.
extension World {
  /// Carries out on a connection what a fault says.
  ///
  /// - Parameter stream: number of the push at hand; 0 where it is no push that was struck.
  mutating func strike(
    _ connection: ProviderConnectionID, with consequence: ConnectionFault, of fault: Fault, stream: Int32,
    at now: Instant
  ) -> FaultRegistry.PushThere {
    let strike = faults.strike(connection, with: consequence, of: fault, stream: stream)
    for order in strike.orders { output.append(.wire(connection, order)) }
    if let (order, after) = strike.later { hold(order, on: connection, until: now.advanced(by: after)) }
    return strike.push
  }

  mutating func hold(
    _ order: WireCommand, on connection: ProviderConnectionID, until due: Instant, answering push: PushRecord? = nil
  ) {
    let device = push?.address?.device
    let number = faults.held.add(.init(connection: connection, order: order, push: push?.sequence, device: device))
    partition.schedule.add(.wire(number), of: device, due: due)
  }

  /// What has been held back reaches the wire.
  mutating func release(_ number: UInt64, at now: Instant) {
    guard let held = faults.held.take(number) else { return }
    output.append(.wire(held.connection, held.order))
    if let push = held.push, case .respond(_, let response) = held.order {
      output.append(.answerSent(push: push, .answer(status: response.status), at: now))
    }
  }

  /// A connection that takes pushes has come.
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

  /// A push has come while some fault waits for silence.
  mutating func endSilence(of connection: ProviderConnectionID, at now: Instant) {
    if faults.endSilence(of: connection, at: now) { planLook(at: now) }
  }

  /// Strikes the connections that have been silent for long enough, and plans when to look again.
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
    // The look that was planned is for nothing when it comes.
    if replaces { partition.countStale(1, faults) }
    partition.schedule.add(.silence, due: due)
  }
}
