import APNs
import Timeline

/// The open connections of providers, with their state.
struct Connections: Sendable {
  /// The index of a connection, valid until one is opened or closed.
  typealias Index = Int

  /// In no particular order. An array, because reading a part of a value in a dictionary copies the value.
  private(set) var states: [ConnectionState] = []
  private var indices: [ProviderConnectionID: Index] = [:]
  /// The connection used last, because requests arrive in runs. Nil after a connection was opened or closed.
  private(set) var last: (connection: ProviderConnectionID, index: Index)?
  /// Connections that manage channels and do not accept pushes.
  private(set) var managers: Set<ProviderConnectionID> = []
  /// Number of pushes on all connections so far.
  private(set) var pushes: UInt64 = 0
  /// Number of commands that faults have delayed so far, and how many of them wait.
  private var delayedCount: UInt64 = 0
  private(set) var waitingCommands = 0
  private let idDraw: Chance

  /// The draw includes the start time, so that a restart with the same seed does not repeat notification ids.
  init(seed: UInt64, began: Instant) {
    idDraw = Chance(seed: seed).stream(for: "\(began.nanoseconds)").stream(for: "apns-id")
  }

  var count: Int { states.count }

  /// The last stream of a connection that is served; nil if the connection is closed.
  @inline(__always)
  func lastStream(of connection: ProviderConnectionID) -> Int32? {
    guard let index = last?.connection == connection ? last?.index : indices[connection] else { return nil }
    return states[index].lastStream
  }

  /// True if any connection manages channels.
  var hasManagers: Bool { !managers.isEmpty }

  mutating func open(
    _ connection: ProviderConnectionID, of provider: ProviderConnection, peer: String, managesChannels: Bool,
    at now: Instant
  ) {
    close(connection)
    indices[connection] = states.count
    states.append(ConnectionState(connection, of: provider, peer: peer, at: now))
    if managesChannels { managers.insert(connection) }
  }

  mutating func close(_ connection: ProviderConnectionID) {
    last = nil
    managers.remove(connection)
    guard let index = indices.removeValue(forKey: connection) else { return }
    states.swapAt(index, states.count - 1)
    states.removeLast()
    if index < states.count { indices[states[index].id] = index }
  }

  subscript(connection: ProviderConnectionID) -> ConnectionState? { indices[connection].map { states[$0] } }

  func managesChannels(_ connection: ProviderConnectionID) -> Bool { managers.contains(connection) }

  func provider(of connection: ProviderConnectionID) -> ProviderConnection? { self[connection]?.provider }

  func peer(of connection: ProviderConnectionID) -> String? { self[connection]?.peer }

  @inline(__always)
  mutating func index(of connection: ProviderConnectionID) -> Index? {
    if let last, last.connection == connection { return last.index }
    guard let index = indices[connection] else { return nil }
    last = (connection, index)
    return index
  }

  subscript(index: Index) -> ConnectionState {
    @inline(__always) _read { yield states[index] }
    @inline(__always) _modify { yield &states[index] }
  }

  /// Counts a push, whatever its result.
  @inline(__always)
  mutating func countPush(at index: Index) {
    pushes += 1
    states[index].countPush()
  }

  // MARK: - Delayed commands

  /// - Returns: the number of the delayed command.
  mutating func delay(_ delayed: DelayedCommands.Delayed, at index: Index) -> UInt64 {
    delayedCount += 1
    waitingCommands += 1
    let number = delayedCount
    self[index].changeFaults { $0.delayed.add(delayed, number: number) }
    return number
  }

  /// Nil if it was dropped.
  mutating func takeDelayed(_ number: UInt64, at index: Index) -> DelayedCommands.Delayed? {
    guard let taken = self[index].changeFaults({ $0.delayed.take(number) }) else { return nil }
    waitingCommands -= 1
    return taken
  }

  /// All delayed commands of a connection, in the order in which they were delayed.
  mutating func takeAllDelayed(at index: Index) -> [DelayedCommands.Delayed] {
    let taken = self[index].changeFaults { $0.delayed.takeAll() }
    waitingCommands -= taken.count
    return taken
  }

  /// Drops the delayed answer to a push.
  ///
  /// - Returns: true if it was there.
  mutating func drop(answerTo push: UInt64, at index: Index) -> Bool {
    guard self[index].changeFaults({ $0.delayed.drop(answerTo: push) }) else { return false }
    waitingCommands -= 1
    return true
  }

  /// Drops every delayed command except answers.
  ///
  /// - Returns: the number of dropped commands.
  mutating func keepDelayedAnswers() -> Int {
    var dropped = 0
    for index in states.indices { dropped += states[index].changeFaults { $0.delayed.keepAnswers() } }
    waitingCommands -= dropped
    return dropped
  }

  /// The commands for the wire that revert effects, in the order of the connections, and the number of delayed commands
  /// that were dropped.
  typealias Reverted = (commands: [(connection: ProviderConnectionID, command: WireCommand)], dropped: Int)

  /// Reverts the lasting effects of a fault.
  mutating func revert(_ fault: String) -> Reverted { revert { $0.revert(fault) } }

  /// Reverts the lasting effects of all faults.
  mutating func revertAll() -> Reverted { revert { $0.revertAll() } }

  private mutating func revert(
    _ revert: (inout ConnectionFaultState) -> (commands: [WireCommand], dropped: Int)
  ) -> Reverted {
    var all: Reverted = ([], 0)
    for index in states.indices where !states[index].isFaultFree {
      let reverted = states[index].changeFaults(revert)
      all.dropped += reverted.dropped
      for command in reverted.commands { all.commands.append((states[index].id, command)) }
    }
    waitingCommands -= all.dropped
    all.commands.sort { $0.connection.number < $1.connection.number }
    return all
  }

  /// The world begins anew: nothing that faults have changed is left.
  mutating func forgetFaults() {
    for index in states.indices {
      states[index].changeFaults { $0 = ConnectionFaultState() }
      states[index].lastStream = .max
    }
    waitingCommands = 0
  }

  /// A fault that waits for idle connections was removed.
  ///
  /// - Parameter isLast: no other fault waits for them.
  /// - Returns: the number of scheduled checks that are not needed any more.
  mutating func forgetIdleStrikes(_ serial: UInt64, isLast: Bool) -> Int {
    var checks = 0
    for index in states.indices {
      states[index].changeFaults { faults in
        faults.idle?.struck.remove(serial)
        guard isLast else { return }
        if faults.idle?.nextCheck != nil { checks += 1 }
        faults.idle = nil
      }
    }
    return checks
  }

  /// The ids of the answer to a request.
  func drawnIDs(_ stream: StreamID) -> PushAnswer.DrawnIDs {
    PushAnswer.DrawnIDs(idDraw, connection: stream.connection.number, stream: stream.number)
  }

  /// Connections opened after the one with that number, in order, and whether there are more than `limit`.
  func page(after number: UInt64, limit: Int) -> (connections: [OpenConnection], hasMore: Bool) {
    let later = states.filter { $0.id.number > number }.sorted { $0.id.number < $1.id.number }
    let page = later.prefix(limit).map { state in
      OpenConnection(
        id: state.id, environment: state.environment, peer: state.peer, pushes: state.pushes,
        refused: state.refused, certificate: state.provider.certified)
    }
    return (page, page.count < later.count)
  }
}

/// A provider's open connection, as the admin API shows it.
package struct OpenConnection: Sendable {
  package let id: ProviderConnectionID
  package let environment: Environment
  package let peer: String
  package let pushes: UInt64
  package let refused: UInt64
  /// Nil if the provider authenticates by token.
  package let certificate: CertifiedProvider?
}
