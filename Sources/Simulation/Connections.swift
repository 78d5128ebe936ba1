import APNs
import Timeline

/// The open connections of providers, with their state.
struct Connections: Sendable {
  /// The index of a connection, valid until one is opened or closed.
  typealias Place = Int

  /// A provider's connection, and its peer.
  struct Caller: Sendable {
    let id: ProviderConnectionID
    var provider: ProviderConnection
    let peer: String
    fileprivate(set) var pushes: UInt64 = 0
    fileprivate(set) var refused: UInt64 = 0
    /// Rejected pushes, except those with 410.
    private(set) var errors: UInt32 = 0
    /// The rule about provider or topic that was broken last, so that repeated violations are reported once.
    private var lastTrouble: Rule?

    /// The last stream that is served: a GOAWAY has named it.
    var lastStream = Int32.max
    /// The highest stream that has arrived.
    var latestStream: Int32 = 0
    /// The changes made by faults.
    fileprivate(set) var faults = ConnectionFaultState()
    /// True if no fault has changed anything; kept, because it is asked for each push.
    private(set) var isSound = true

    /// True if GOAWAY was sent, because its certificate was rejected or because it had too many errors.
    private var isLeaving = false

    fileprivate init(_ id: ProviderConnectionID, of provider: ProviderConnection, peer: String) {
      self.id = id
      self.provider = provider
      self.peer = peer
    }

    /// Changes what faults have changed.
    mutating func changeFaults<Result>(_ change: (inout ConnectionFaultState) -> Result) -> Result {
      defer { isSound = faults.lasting.isEmpty }
      return change(&faults)
    }

    /// Reading `provider.environment` through the connections crashes debug builds of Swift 6.3.1.
    var environment: Environment { provider.environment }

    /// The time used to check the provider tokens of the connection.
    func clock(_ now: Now) -> Now {
      guard let offset = faults.conditions.clockOffset else { return now }
      return Now(world: now.world, wall: now.wall.advanced(by: offset))
    }

    /// - Returns: false if the connection was leaving before.
    mutating func markLeaving() -> Bool {
      defer { isLeaving = true }
      return !isLeaving
    }

    /// Other cells whose pushes it sent here.
    private var strangers: Set<Int> = []

    /// - Returns: false if that cell's pushes arrived before.
    mutating func markStranger(_ cell: Int) -> Bool { strangers.insert(cell).inserted }

    /// Counts a rejected push.
    ///
    /// - Returns: the broken rule, if no push of the client can reach a device and that was not reported before.
    mutating func countRefusal(_ rejection: Rejection) -> Rule? {
      refused += 1
      if rejection.reason.status != 410 { errors &+= 1 }
      // A certificate is checked, and its fault reported, when the connection opens.
      guard let rule = rejection.rule, rejection.reason.status == 403 || rule == .topicAllowed, lastTrouble != rule,
        !rule.isAboutCertificate
      else { return nil }
      lastTrouble = rule
      return rule
    }
  }

  /// In no particular order. An array, because reading a part of a value in a dictionary copies the value.
  private(set) var callers: [Caller] = []
  private var places: [ProviderConnectionID: Place] = [:]
  /// The connection used last, because requests arrive in runs. Nil after a connection was opened or closed.
  private(set) var last: (connection: ProviderConnectionID, place: Place)?
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

  var count: Int { callers.count }

  /// The last stream of a connection that is served; nil if the connection is closed.
  @inline(__always)
  func lastStream(of connection: ProviderConnectionID) -> Int32? {
    guard let place = last?.connection == connection ? last?.place : places[connection] else { return nil }
    return callers[place].lastStream
  }

  /// True if any connection manages channels.
  var hasManagers: Bool { !managers.isEmpty }

  mutating func open(
    _ connection: ProviderConnectionID, of provider: ProviderConnection, peer: String, managesChannels: Bool
  ) {
    close(connection)
    places[connection] = callers.count
    callers.append(Caller(connection, of: provider, peer: peer))
    if managesChannels { managers.insert(connection) }
  }

  mutating func close(_ connection: ProviderConnectionID) {
    last = nil
    managers.remove(connection)
    guard let place = places.removeValue(forKey: connection) else { return }
    callers.swapAt(place, callers.count - 1)
    callers.removeLast()
    if place < callers.count { places[callers[place].id] = place }
  }

  subscript(connection: ProviderConnectionID) -> Caller? { places[connection].map { callers[$0] } }

  func managesChannels(_ connection: ProviderConnectionID) -> Bool { managers.contains(connection) }

  func provider(of connection: ProviderConnectionID) -> ProviderConnection? { self[connection]?.provider }

  func peer(of connection: ProviderConnectionID) -> String? { self[connection]?.peer }

  @inline(__always)
  mutating func place(of connection: ProviderConnectionID) -> Place? {
    if let last, last.connection == connection { return last.place }
    guard let place = places[connection] else { return nil }
    last = (connection, place)
    return place
  }

  subscript(place: Place) -> Caller {
    @inline(__always) _read { yield callers[place] }
    @inline(__always) _modify { yield &callers[place] }
  }

  /// Counts a push, whatever its result.
  @inline(__always)
  mutating func countPush(at place: Place) {
    pushes += 1
    callers[place].pushes += 1
  }

  // MARK: - Delayed commands

  /// - Returns: the number of the delayed command.
  mutating func delay(_ delayed: DelayedCommands.Delayed, at place: Place) -> UInt64 {
    delayedCount += 1
    waitingCommands += 1
    self[place].faults.delayed.add(delayed, number: delayedCount)
    return delayedCount
  }

  /// Nil if it was dropped.
  mutating func takeDelayed(_ number: UInt64, at place: Place) -> DelayedCommands.Delayed? {
    guard let taken = self[place].faults.delayed.take(number) else { return nil }
    waitingCommands -= 1
    return taken
  }

  /// All delayed commands of a connection, in the order in which they were delayed.
  mutating func takeAllDelayed(at place: Place) -> [DelayedCommands.Delayed] {
    let taken = self[place].faults.delayed.takeAll()
    waitingCommands -= taken.count
    return taken
  }

  /// Drops the delayed answer to a push.
  ///
  /// - Returns: true if it was there.
  mutating func drop(answerTo push: UInt64, at place: Place) -> Bool {
    guard self[place].faults.delayed.drop(answerTo: push) else { return false }
    waitingCommands -= 1
    return true
  }

  /// Drops every delayed command except answers.
  ///
  /// - Returns: the number of dropped commands.
  mutating func keepDelayedAnswers() -> Int {
    var dropped = 0
    for place in callers.indices { dropped += callers[place].faults.delayed.keepAnswers() }
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
    for place in callers.indices where !callers[place].isSound {
      let reverted = callers[place].changeFaults(revert)
      all.dropped += reverted.dropped
      for command in reverted.commands { all.commands.append((callers[place].id, command)) }
    }
    waitingCommands -= all.dropped
    all.commands.sort { $0.connection.number < $1.connection.number }
    return all
  }

  /// The world begins anew: nothing that faults have changed is left.
  mutating func forgetFaults() {
    for place in callers.indices {
      callers[place].changeFaults { $0 = ConnectionFaultState() }
      callers[place].lastStream = .max
    }
    waitingCommands = 0
  }

  /// A fault that waits for idle connections was removed.
  ///
  /// - Parameter isLast: no other fault waits for them.
  /// - Returns: the number of scheduled checks that are not needed any more.
  mutating func forgetIdleStrikes(_ serial: UInt64, isLast: Bool) -> Int {
    var checks = 0
    for place in callers.indices {
      callers[place].faults.idle?.struck.remove(serial)
      guard isLast else { continue }
      if callers[place].faults.idle?.nextCheck != nil { checks += 1 }
      callers[place].faults.idle = nil
    }
    return checks
  }

  /// The ids of the answer to a request.
  func drawnIDs(_ stream: StreamID) -> PushAnswer.DrawnIDs {
    PushAnswer.DrawnIDs(idDraw, connection: stream.connection.number, stream: stream.number)
  }

  /// Connections opened after the one with that number, in order, and whether there are more than `limit`.
  func page(after number: UInt64, limit: Int) -> (connections: [OpenConnection], hasMore: Bool) {
    let later = callers.filter { $0.id.number > number }.sorted { $0.id.number < $1.id.number }
    let page = later.prefix(limit).map { caller in
      OpenConnection(
        id: caller.id, environment: caller.environment, peer: caller.peer, pushes: caller.pushes,
        refused: caller.refused, certificate: caller.provider.certified)
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
