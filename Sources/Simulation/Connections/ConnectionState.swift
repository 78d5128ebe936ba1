import APNs
import Timeline

/// A provider's connection, and its peer.
struct ConnectionState: Sendable {
  let id: ProviderConnectionID
  var provider: ProviderConnection
  let peer: String
  let opened: Instant
  private(set) var pushes: UInt64 = 0
  private(set) var refused: UInt64 = 0
  /// Rejected pushes, except those with 410.
  private(set) var errors: UInt32 = 0
  /// The rule about provider or topic that was broken last, so that repeated violations are reported once.
  private var lastTrouble: Rule?

  /// The last stream that is served: a GOAWAY has named it.
  var lastStream = Int32.max
  /// The highest stream that has arrived.
  var latestStream: Int32 = 0
  /// The changes made by faults.
  private(set) var faults = ConnectionFaultState()
  /// True if no fault has changed anything; kept, because it is asked for each push.
  private(set) var isFaultFree = true

  /// True if GOAWAY was sent, because its certificate was rejected or because it had too many errors.
  private var isLeaving = false
  /// True if a rejection has lowered its limit of streams.
  private var isNarrowed = false
  /// Other cells whose pushes it sent here.
  private var foreignCells: Set<Int> = []

  init(_ id: ProviderConnectionID, of provider: ProviderConnection, peer: String, at now: Instant) {
    self.id = id
    self.provider = provider
    self.peer = peer
    opened = now
  }

  /// Changes what faults have changed.
  @discardableResult
  mutating func changeFaults<Result>(_ change: (inout ConnectionFaultState) -> Result) -> Result {
    defer { isFaultFree = faults.lasting.isEmpty }
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

  /// Records whether the latest push was rejected.
  ///
  /// - Returns: the command that changes the limit of streams; nil if it does not change, or if a fault has set it.
  mutating func narrow(_ isRejected: Bool) -> WireCommand? {
    guard isNarrowed != isRejected else { return nil }
    isNarrowed = isRejected
    guard isFaultFree, provider.isAuthorised else { return nil }
    return isRejected ? .streams(1, open: .finish, excessStreams: nil) : .restoreStreamLimit
  }

  /// - Returns: false if that cell's pushes arrived before.
  mutating func noteForeignCell(_ cell: Int) -> Bool { foreignCells.insert(cell).inserted }

  /// Counts a push, whatever its result.
  @inline(__always)
  mutating func countPush() { pushes += 1 }

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
