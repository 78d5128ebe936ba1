import APNs
import Devices
import Timeline
import WireFormats

/// The whole simulation, as one value.
///
/// A world changes only through its entry points, and each is a case of `WorldCall`: a connection opens or closes, a
/// request arrives, an answer goes out, an order is given, time passes, waves reach more devices. Each is passed the
/// current time, and is recorded if a tape is written. Nothing else changes anything; queries do not.
///
/// The output is one list of events, in order; the same seed and the same calls give the same list, byte for byte.
/// Troubles of the wire that change nothing are no business of the world: see `Simulator.report(_:)`.
package struct World: Sendable {
  var connections: Connections
  package internal(set) var validator: RequestValidator
  var broadcasts: BroadcastChannels
  /// Work on many devices. It is not in the schedule, so that pushes do not wait until a million devices are reached.
  package var waves = Waves()
  /// Number of rejections after which a connection ends; nil for never.
  let mostErrors: UInt32?
  /// Allows a connection one stream after a rejection, until a push is accepted.
  let narrowsStreams: Bool
  var senderBlocks: SenderBlocks
  /// The certificates that a scenario has revoked.
  package internal(set) var suspendedCertificates = SuspendedCertificates()
  /// True if a provider has presented a certificate.
  package private(set) var hasMetCertificates = false
  var deviceState: DeviceState
  /// Number of times that the world began anew.
  package internal(set) var beginnings: UInt64 = 0
  #if PUSHPIT_CHECKS
    var checks = CheckTurns()
  #endif

  package init(
    _ plan: FleetPlan, rulebook: Rulebook, channels: ChannelRulebook = ChannelRulebook(), keyRing: KeyRing,
    at now: Instant
  ) {
    connections = Connections(seed: plan.seed, began: now)
    validator = RequestValidator(rulebook: rulebook, keyRing: keyRing, seed: plan.seed)
    broadcasts = BroadcastChannels(seed: plan.seed, rulebook: channels)
    mostErrors = rulebook.errorsPerConnection
    narrowsStreams = rulebook.narrowsStreams
    senderBlocks = SenderBlocks(for: rulebook.block)
    deviceState = DeviceState(plan, rulebook: rulebook, at: now)
  }

  package internal(set) var faults: FaultRegistry {
    @inline(__always) _read { yield deviceState.faults }
    @inline(__always) _modify { yield &deviceState.faults }
  }

  var schedule: Schedule {
    @inline(__always) _read { yield deviceState.schedule }
    @inline(__always) _modify { yield &deviceState.schedule }
  }

  var output: EventList {
    @inline(__always) _read { yield deviceState.output }
    @inline(__always) _modify { yield &deviceState.output }
  }

  package var began: Instant { fleet.began }
  package var fleet: Fleet { @inline(__always) _read { yield deviceState.fleet } }
  /// The largest number of pushes that were stored at once.
  package var mostStored: Int { deviceState.store.peak }
  package var rulebook: Rulebook { validator.rulebook }
  package var rules: PushRules { validator.rules }

  // MARK: - Connections

  package var openConnectionCount: Int { connections.count }

  /// Open connections, in the order of opening.
  package var openConnections: [OpenConnection] { openConnections(after: 0, limit: .max).connections }

  /// Connections opened after the one with that number, and whether there are more than `limit`.
  package func openConnections(after number: UInt64, limit: Int) -> (connections: [OpenConnection], hasMore: Bool) {
    connections.page(after: number, limit: limit)
  }

  /// The state that APNs keeps for a push connection.
  package func provider(of connection: ProviderConnectionID) -> ProviderConnection? {
    connections.provider(of: connection)
  }

  /// The client of a connection; nil if the connection is closed.
  package func peer(of connection: ProviderConnectionID) -> String? { connections.peer(of: connection) }

  /// True if a connection is open and no GOAWAY excludes the stream.
  @inline(__always)  // A call from a function that changes the world would copy it.
  func serves(_ stream: StreamID) -> Bool {
    connections.lastStream(of: stream.connection).map { stream.number <= $0 } ?? false
  }

  package func managesChannels(_ connection: ProviderConnectionID) -> Bool { connections.managesChannels(connection) }

  /// A provider has connected.
  ///
  /// - Parameter certificate: the client certificate from the TLS handshake, if there is one.
  package mutating func connectionOpened(
    _ connection: ProviderConnectionID, to environment: Environment, peer: String, managesChannels: Bool = false,
    certificate: ProviderCertificate? = nil, at now: Now
  ) {
    let now = enter(
      .opened(connection, environment, peer: peer, managesChannels: managesChannels, certificate), at: now)
    defer { check(at: now.world) }
    end(connection, at: now.world)
    var provider =
      certificate.map {
        ProviderConnection(
          environment: environment, certificate: suspendedCertificates.marked($0), rulebook, at: now.wall)
      }
      ?? ProviderConnection(environment: environment)
    provider.countsForKey = connection.number < ProviderConnectionID.firstOfAdmin
    connections.open(connection, of: provider, peer: peer, managesChannels: managesChannels, at: now.world)
    output.append(.connectionOpened(connection, environment, peer: peer))
    if certificate != nil { hasMetCertificates = true }
    if let refusal = provider.certified?.refusal {
      // No stream will be processed, so the last one is 0. Observed: apns2 issues 93 and 117.
      refuse(connection, from: peer, for: refusal, lastStream: 0, at: now.world)
    }
    if !managesChannels { strike(opening: connection, to: environment, at: now.world) }
  }

  /// A provider has disconnected; open requests are not answered.
  package mutating func connectionClosed(_ connection: ProviderConnectionID, at now: Now) {
    let now = enter(.closed(connection), at: now)
    defer { check(at: now.world) }
    end(connection, at: now.world)
  }

  /// Has no effect on a connection that is not open.
  private mutating func end(_ connection: ProviderConnectionID, at now: Instant) {
    guard let index = connections.index(of: connection) else { return }
    let delayed = connections.takeAllDelayed(at: index)
    schedule.countObsolete(
      delayed.count + (connections[index].faults.idle?.nextCheck == nil ? 0 : 1))
    let (sender, peer, opened) = (sender(of: index), connections[index].peer, connections[index].opened)
    connections.close(connection)
    faults.forget(connection)
    output.append(.connectionClosed(connection))
    if let sender, let sentence = senderBlocks.countEnd(of: sender, opened: opened, at: now) {
      reportBlock(of: peer, sentence, at: now)
    }
    for push in delayed.compactMap(\.push) {
      output.append(.answerSent(push: push, .nothing(.connectionEnded), at: now))
    }
  }

  // MARK: - Reports from the wire

  /// An answer did not go out normally: its stream or connection ended first, or the client's window has no room for
  /// it; or, after that, it has been sent.
  package mutating func answerWent(
    to push: UInt64, on connection: ProviderConnectionID, _ sent: SentAnswer, at now: Now
  ) {
    let now = enter(.answerWent(push: push, connection, sent), at: now)
    defer { check(at: now.world) }
    if case .nothing = sent, let index = connections.index(of: connection),
      connections.drop(answerTo: push, at: index)
    {
      schedule.countObsolete(1)
    }
    output.append(.answerSent(push: push, sent, at: now.world))
  }

  // MARK: - Events

  /// True if calls are recorded for a tape.
  package var recordsCalls: Bool {
    get { output.recordsCalls }
    set { output.recordsCalls = newValue }
  }

  /// True if rejected pushes are read for the attributes that tell their session.
  package var tracesRefusals: Bool {
    get { output.tracesRefusals }
    set { output.tracesRefusals = newValue }
  }

  /// Number of events that wait for the readers.
  package var eventCount: Int { output.count }

  /// True if events wait for the readers.
  package var hasEvents: Bool { !output.isEmpty }

  /// Takes the events since the last call. `list` is emptied first and keeps its storage.
  package mutating func takeEvents(into list: inout [WorldEvent]) { output.take(into: &list) }

  /// Takes the calls since the last time, in order.
  package mutating func takeRecordedCalls() -> [RecordedCall] { output.takeCalls() }
}
