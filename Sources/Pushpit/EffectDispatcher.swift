import APNs
import Reporting
import Simulation
import Timeline
import Transport

/// Dispatches the world's events: to connections, to the caller of apps' backends, to the listeners.
///
/// Everything is dispatched while the world's lock is held, so that it arrives in the order of the world, whatever the
/// thread. None of these calls back: they post to mailboxes that their threads read in order.
struct EffectDispatcher: Sendable {
  var poster: EffectPoster?
  var caller: AppCaller?
  /// Carries out faults of the listeners.
  var listeners: (@Sendable (ListenerFault?, Environment?) -> Void)?
  /// Requests that due work is done at a time of the machine's clock.
  var alarm: (@Sendable (Instant) -> Void)?
  /// Nil if no streams are announced.
  let authorisedStreams: Int?

  /// Dispatches events.
  ///
  /// - Returns: calls that ended at once because no more are made. Pass them to the world without holding its lock.
  func deliver(
    _ events: [WorldEvent], _ wires: [ProviderConnectionID: ConnectionID]
  ) -> [AppCallEnd] {
    var calls = CallCommands()
    for event in events { deliver(event, wires: wires, calls: &calls) }
    return carry(out: calls)
  }

  func deliver(
    _ event: WorldEvent, wires: [ProviderConnectionID: ConnectionID], calls: inout CallCommands
  ) {
    calls.append(event)
    switch event {
    case .listener(let fault, let environment): listeners?(fault, environment)
    case .push(let record) where !record.isAnsweredApart:
      post([.respond(stream: record.stream.number, record.answer.response)], wires[record.stream.connection])
    case .channels(let record) where !record.isAnsweredApart:
      post([.respond(stream: record.stream.number, record.answer.response)], wires[record.stream.connection])
    case .streamsAllowed(let id):
      if let authorisedStreams { post([.announceStreams(authorisedStreams)], wires[id]) }
    case .wire(let id, let order): post(Effect.of(order), wires[id])
    default: break
    }
  }

  func carry(out calls: CallCommands) -> [AppCallEnd] {
    guard !calls.isEmpty, let caller else { return [] }
    caller.cancel(calls.cancelled)
    return caller.submit(calls.started)
  }

  private func post(_ effects: [Effect], _ wire: ConnectionID?) {
    guard let wire, let poster, !effects.isEmpty else { return }
    var list = Effects()
    for effect in effects { list.append(effect) }
    poster.post(list, to: wire)
  }
}

/// The time at which the main loop has been asked to wake up.
struct DueAlarm: Hashable, Sendable {
  private var armed: Instant?

  /// An alarm this long ago was set by another clock: the machine's clock has been changed since.
  private static let stale: Duration = .seconds(1)

  /// - Parameters:
  ///   - due: when work is due; nil if no work is planned.
  ///   - wall: the machine's time.
  /// - Returns: when the alarm must fire, unless an alarm is already set that is not later.
  mutating func set(_ due: Instant?, wall: Instant) -> Instant? {
    guard let due else { return nil }
    if let armed, armed <= due, armed.advanced(by: Self.stale) > wall { return nil }
    armed = due
    return due
  }

  mutating func rang() { armed = nil }
}
