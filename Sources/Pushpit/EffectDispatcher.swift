import APNs
import Reporting
import Simulation
import Timeline
import Transport

/// Where the world's events go: connections, the calls of apps, the listeners.
///
/// Everything is handed over while the world's lock is held, so that it arrives in the order of the world, whichever
/// thread was first. None of these calls back: they put letters into boxes that their threads read in order.
struct EffectDispatcher: Sendable {
  var poster: EffectPoster?
  var caller: AppCaller?
  /// Carries out what faults want of the listeners.
  var listeners: (@Sendable (ListenerFault?, Environment?) -> Void)?
  /// Asked to have due work done at a time of the machine's clock.
  var alarm: (@Sendable (Instant) -> Void)?
  /// Nil announces no streams.
  let authorisedStreams: Int?

  func effects(of order: WireCommand) -> [Effect] { Effect.of(order, authorisedStreams: authorisedStreams) }

  /// Hands events on.
  ///
  /// - Returns: calls that ended at once, for no more are made. The world is to be told of them without its lock.
  func deliver(
    _ events: [WorldEvent], _ wires: [ProviderConnectionID: ConnectionID]
  ) -> [AppCallEnd] {
    var calls = CallCommands()
    for event in events { deliver(event, wires, &calls) }
    return carry(out: calls)
  }

  func deliver(
    _ event: WorldEvent, _ wires: [ProviderConnectionID: ConnectionID], _ calls: inout CallCommands
  ) {
    calls.append(event)
    switch event {
    case .listener(let fault, let environment): listeners?(fault, environment)
    case .push(let record) where !record.isAnsweredApart:
      post([.respond(stream: record.stream.number, record.answer.response)], wires[record.stream.connection])
    case .channels(let record):
      post([.respond(stream: record.stream.number, record.answer.response)], wires[record.stream.connection])
    case .streamsAllowed(let id):
      if let authorisedStreams { post([.announceStreams(authorisedStreams)], wires[id]) }
    case .wire(let id, let order): post(effects(of: order), wires[id])
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

/// For when the main loop has been asked to wake up.
struct DueAlarm: Hashable, Sendable {
  private var armed: Instant?

  /// An alarm so long ago was set by another clock: the machine's has been set since.
  private static let stale: Duration = .seconds(1)

  /// - Parameters:
  ///   - due: when something falls due; nil where nothing does.
  ///   - wall: what time it is.
  /// - Returns: when to ring, where no ring is asked for that comes as early.
  mutating func set(_ due: Instant?, wall: Instant) -> Instant? {
    guard let due else { return nil }
    if let armed, armed <= due, armed.advanced(by: Self.stale) > wall { return nil }
    armed = due
    return due
  }

  mutating func rang() { armed = nil }
}
