import APNs
import Devices
import Timeline
import WireFormats

/// Everything that is simulated, as one value.
///
/// A world changes through four entry points and no other: a request arrives, a connection comes or goes, time passes,
/// somebody gives an order. Each is told what time it is. What comes out is one list of events, in order; the same seed
/// and the same calls give the same list, byte for byte.
package struct World: Sendable {
  var connections: Connections
  package internal(set) var validator: RequestValidator
  var broadcasts: BroadcastChannels
  package internal(set) var faults: FaultRegistry
  var partition: Partition
  var output = EventList()

  package init(
    _ plan: FleetPlan, rulebook: Rulebook, channels: ChannelRulebook = ChannelRulebook(), keyRing: KeyRing,
    at now: Instant
  ) {
    connections = Connections(seed: plan.seed, began: now)
    validator = RequestValidator(rulebook: rulebook, keyRing: keyRing, seed: plan.seed)
    broadcasts = BroadcastChannels(seed: plan.seed, rulebook: channels)
    faults = FaultRegistry(seed: plan.seed, apps: plan.apps.map(\.bundleID))
    partition = Partition(plan, rulebook: rulebook, at: now)
  }

  package var began: Instant { partition.fleet.began }
  package var fleet: Fleet { @inline(__always) _read { yield partition.fleet } }
  package var rulebook: Rulebook { validator.rulebook }
  package var examiner: PushExaminer { validator.examiner }

  // MARK: - Connections

  package var openConnectionCount: Int { connections.count }

  /// Open connections, in the order they came.
  package var openConnections: [OpenConnection] { openConnections(after: 0, limit: .max).connections }

  /// Those that came after the connection of that number, and whether there are more than `limit`.
  package func openConnections(after number: UInt64, limit: Int) -> (connections: [OpenConnection], hasMore: Bool) {
    connections.page(after: number, limit: limit)
  }

  /// What APNs remembers of a connection that takes pushes.
  package func provider(of connection: ProviderConnectionID) -> ProviderConnection? {
    connections.provider(of: connection)
  }

  func managesChannels(_ connection: ProviderConnectionID) -> Bool { connections.managesChannels(connection) }

  /// A provider has come.
  ///
  /// - Parameter certificate: what it has presented in the TLS handshake, if anything.
  package mutating func connectionOpened(
    _ connection: ProviderConnectionID, to environment: Environment, peer: String, managesChannels: Bool = false,
    certificate: ProviderCertificate? = nil, at now: Now
  ) {
    output.record(
      .opened(connection, environment, peer: peer, managesChannels: managesChannels, certificate), at: now)
    pass(to: now)
    let provider =
      certificate.map { ProviderConnection(environment: environment, certificate: $0, rulebook, at: now.wall) }
      ?? ProviderConnection(environment: environment)
    connections.open(connection, of: provider, peer: peer, managesChannels: managesChannels)
    output.append(.connectionOpened(connection, environment, peer: peer))
    if let refusal = provider.certified?.refusal { refuse(connection, from: peer, for: refusal, at: now.world) }
    if !managesChannels { strike(opening: connection, to: environment, at: now.world) }
  }

  /// A provider has left; what it still had open is not answered.
  package mutating func connectionClosed(_ connection: ProviderConnectionID, at now: Now) {
    output.record(.closed(connection), at: now)
    pass(to: now)
    guard connections.close(connection) else { return }
    faults.forget(connection)
    output.append(.connectionClosed(connection))
    if faults.held.isEmpty { return }
    let held = faults.held.takeAll(of: connection)
    partition.countStale(held.count, faults)
    for held in held {
      if let push = held.push { output.append(.answerSent(push: push, .nothing(.connectionEnded), at: now.world)) }
    }
  }

  // MARK: - What the wire reports

  /// Something has become of an answer that was not expected of it: the stream or its connection ended first, or the
  /// client has no room for it; or, after that, it has left.
  package mutating func answerWent(
    to push: UInt64, on connection: ProviderConnectionID, _ sent: SentAnswer, at now: Now
  ) {
    output.record(.answerWent(push: push, connection, sent), at: now)
    pass(to: now)
    if case .nothing = sent, faults.held.drop(answerTo: push, on: connection) { partition.countStale(1, faults) }
    output.append(.answerSent(push: push, sent, at: now.world))
  }

  /// Something went wrong on a connection, or on the way to one.
  package mutating func connectionTroubled(_ kind: String, peer: String, _ sentence: String, at now: Now) {
    output.record(.troubled(kind: kind, peer: peer, sentence), at: now)
    pass(to: now)
    output.append(.trouble(ClientTrouble(at: now.world, kind: kind, peer: peer, sentence: sentence)))
  }

  /// A client has opened streams that a GOAWAY had said would not be served; nobody answers them.
  package mutating func streamsIgnored(_ streams: [Int32], on connection: ProviderConnectionID, at now: Now) {
    guard let peer = connections.peer(of: connection) else { return }
    for stream in streams {
      let what = "The client opened stream \(stream) though a GOAWAY had named a lower last one; it is not answered."
      connectionTroubled("streamAfterGoAway", peer: peer, what, at: now)
    }
  }

  /// Streams that a client had opened were not served, and nothing of their requests was processed.
  package mutating func streamsUnserved(
    _ kind: String, _ sentence: String, on connection: ProviderConnectionID, at now: Now
  ) {
    guard let peer = connections.peer(of: connection) else { return }
    connectionTroubled(kind, peer: peer, sentence, at: now)
  }

  // MARK: - What has happened

  /// Whether there is anything to settle.
  package var hasEvents: Bool { !output.isEmpty }

  /// Takes what has happened since the last call; `list` is emptied first and keeps its storage.
  package mutating func takeEvents(into list: inout [WorldEvent]) { output.take(into: &list) }

  /// Takes the calls since the last time, in their order.
  package mutating func takeRecordedCalls() -> [RecordedCall] { output.takeCalls() }
}
