import APNs
import Timeline

/// The connections of providers that are open, and what has come on them.
struct Connections: Sendable {
  /// Where a connection is among the others; good until one comes or goes.
  typealias Place = Dictionary<ProviderConnectionID, Caller>.Index

  /// A provider's connection, and who is at its other end.
  struct Caller: Sendable {
    var provider: ProviderConnection
    let peer: String
    fileprivate(set) var pushes: UInt64 = 0
    fileprivate(set) var refused: UInt64 = 0
    /// The rule of authentication that was broken last, so that a client which goes on breaking it is named once.
    private var lastTrouble: Rule?

    /// GOAWAY has followed the refusal of its certificate.
    private var isLeaving = false

    fileprivate init(_ provider: ProviderConnection, peer: String) {
      self.provider = provider
      self.peer = peer
    }

    /// - Returns: whether it was not leaving before.
    mutating func markLeaving() -> Bool {
      defer { isLeaving = true }
      return !isLeaving
    }

    /// Counts a push that was refused.
    ///
    /// - Returns: the trouble of a client that is not let in at all: its pushes never get as far as a device.
    mutating func countRefusal(_ rejection: Rejection, at now: Instant) -> ClientTrouble? {
      refused += 1
      // A certificate is judged, and its fault told, as the connection opens.
      guard let rule = rejection.rule, rejection.reason.status == 403, lastTrouble != rule, !rule.isAboutCertificate
      else { return nil }
      lastTrouble = rule
      return ClientTrouble(
        at: now, kind: "providerToken", peer: peer,
        sentence: "A push was refused with \(rejection.reason.rawValue). \(rule.sentence)")
    }
  }

  private var callers: [ProviderConnectionID: Caller] = [:]
  /// Where the connection that spoke last is among them: requests come by the dozen. Nil once one has come or gone.
  private var last: (connection: ProviderConnectionID, place: Place)?
  /// Those that manage channels and take no pushes.
  private var managers: Set<ProviderConnectionID> = []
  /// Pushes on all connections there have been.
  private(set) var pushes: UInt64 = 0
  private let idDraw: Chance

  /// The draw is salted with the beginning, so that a restart with the same seed does not repeat notification ids.
  init(seed: UInt64, began: Instant) {
    idDraw = Chance(seed: seed).stream(for: "\(began.nanoseconds)").stream(for: "apns-id")
  }

  var count: Int { callers.count }

  /// Whether any manages channels.
  var hasManagers: Bool { !managers.isEmpty }

  mutating func open(
    _ connection: ProviderConnectionID, of provider: ProviderConnection, peer: String, managesChannels: Bool
  ) {
    last = nil
    callers[connection] = Caller(provider, peer: peer)
    if managesChannels { managers.insert(connection) }
  }

  /// - Returns: whether it was open.
  mutating func close(_ connection: ProviderConnectionID) -> Bool {
    last = nil
    managers.remove(connection)
    return callers.removeValue(forKey: connection) != nil
  }

  func managesChannels(_ connection: ProviderConnectionID) -> Bool { managers.contains(connection) }

  func provider(of connection: ProviderConnectionID) -> ProviderConnection? { callers[connection]?.provider }

  func peer(of connection: ProviderConnectionID) -> String? { callers[connection]?.peer }

  @inline(__always)
  mutating func place(of connection: ProviderConnectionID) -> Place? {
    if let last, last.connection == connection { return last.place }
    guard let place = callers.index(forKey: connection) else { return nil }
    last = (connection, place)
    return place
  }

  subscript(place: Place) -> Caller {
    @inline(__always) _read { yield callers.values[place] }
    @inline(__always) _modify { yield &callers.values[place] }
  }

  /// Counts a push, whatever has become of it.
  @inline(__always)
  mutating func countPush(at place: Place) {
    pushes += 1
    callers.values[place].pushes += 1
  }

  /// Chance for the answer to a request.
  func drawBits(_ stream: StreamID) -> (UInt64, UInt64) {
    idDraw.wideBits(stream.connection.number, UInt64(bitPattern: Int64(stream.number)))
  }

  /// Those that came after the connection of that number, in the order they came, and whether there are more than
  /// `limit`.
  func page(after number: UInt64, limit: Int) -> (connections: [OpenConnection], hasMore: Bool) {
    let numbers = callers.keys.lazy.map(\.number).filter { $0 > number }.sorted()
    let page = numbers.prefix(limit).compactMap { number -> OpenConnection? in
      let id = ProviderConnectionID(number)
      guard let caller = callers[id] else { return nil }
      return OpenConnection(
        id: id, environment: caller.provider.environment, peer: caller.peer, pushes: caller.pushes,
        refused: caller.refused, certificate: caller.provider.certified)
    }
    return (page, page.count < numbers.count)
  }
}

/// A provider's connection that is open, as a person asks about it.
package struct OpenConnection: Sendable {
  package let id: ProviderConnectionID
  package let environment: Environment
  package let peer: String
  package let pushes: UInt64
  package let refused: UInt64
  /// Nil where the provider authenticates by token.
  package let certificate: CertifiedProvider?
}
