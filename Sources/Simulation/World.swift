import APNs
import Devices
import Timeline
import WireFormats

/// Everything that is simulated, as one value.
///
/// A world changes through four doors and no other: a request arrives, a connection comes or goes, time passes,
/// somebody gives an order. Each door is told what time it is. What comes out is one list of events, in order; the
/// same seed and the same calls give the same list, byte for byte.
package struct World: Sendable {
  package let began: Instant
  package internal(set) var fleet: Fleet
  package internal(set) var gatekeeper: Gatekeeper
  var agenda = Agenda<Work>()
  /// When the first of the agenda falls due: looked at before every push, so it is kept at hand.
  var soonest = Instant.distantFuture
  var events: [Event] = []
  /// What a phone has just said; taken away after each thing it was asked to do.
  var news = PhoneNews()
  var store: PushStore
  var desk: ChannelDesk
  var subscriptions = Subscriptions()
  var reports: ReportDesk
  package internal(set) var faults: FaultDesk
  let faultDelays: Chance
  /// Of the push at hand.
  var apart: ApartAnswer?
  /// What faults have held back, by number.
  var heldOrders = HeldOrders()
  /// What faults do to many devices; the first is being carried out. They are no work of the agenda: pushes do not wait
  /// for a fault to reach a million devices.
  var waves: [DeviceWave] = []
  /// Entries of the agenda that nobody waits for any more.
  private var stale = 0
  /// Broadcasts and requests about channels so far.
  var channelRequests: UInt64 = 0

  var connections: [ConnectionID: Caller] = [:]
  /// Where the connection that spoke last is among them: requests come by the dozen. Nil once one has come or gone.
  private var last: (connection: ConnectionID, index: Dictionary<ConnectionID, Caller>.Index)?
  /// Connections that manage channels and take no pushes.
  var managers: Set<ConnectionID> = []
  var pushes: UInt64 = 0
  let idDraw: Chance
  /// When the work that is being done was due; nil while none is.
  var working: Instant?
  /// Whether calls at the doors are kept, for a tape.
  package var records = false
  var recorded: [RecordedCall] = []
  /// Whether it is found out of refused pushes whose they are: somebody has opened a session.
  var tracesRefusals = false

  /// Entries of the agenda for which there is room from the beginning: what an ordinary device has at most, and 400 MB.
  private static let entriesADevice = 4
  private static let mostEntriesReserved = 8_000_000

  /// A provider's connection, and who is at its other end.
  struct Caller: Sendable {
    var provider: ProviderConnection
    let peer: String
    var pushes: UInt64 = 0
    var refused: UInt64 = 0
    /// The rule of authentication that was broken last, so that a client which goes on breaking it is named once.
    var lastTrouble: Rule?
  }

  /// What falls due by itself.
  enum Work: Hashable, Sendable {
    case phone(DeviceID, PhoneWork)
    /// Some of what is stored for a phone expires.
    case storeLooks(DeviceID)
    /// A call that was delayed leaves.
    case callLeaves(UInt64)
    case opensFirst(DeviceID, app: Int)
    case visitEnds(DeviceID, app: Int, locks: Bool, darkens: Bool, quits: Bool)
    case staleCheck(DeviceID, app: Int)
    /// What a fault has held back reaches the wire, by its number among `heldOrders`. Nothing here has a reference in
    /// it: the agenda moves its entries about, and counting references doubled the time of a match.
    case wire(UInt64)
    /// By its serial number.
    case faultBegins(UInt64)
    case faultEnds(UInt64)
    /// A connection may have been silent for as long as a fault waits for.
    case silence
  }

  package init(
    _ plan: FleetPlan, rulebook: Rulebook, channels: ChannelRulebook = ChannelRulebook(), keyRing: KeyRing,
    at now: Instant
  ) {
    began = now
    fleet = Fleet(plan, rulebook: rulebook, began: now)
    store = PushStore(plan.store)
    reports = ReportDesk(plan.reports, seed: plan.seed)
    desk = ChannelDesk(seed: plan.seed, rulebook: channels)
    gatekeeper = Gatekeeper(rulebook: rulebook, keyRing: keyRing, seed: plan.seed)
    // Salted with the beginning, so that a restart with the same seed does not repeat notification ids.
    let chance = Chance(seed: plan.seed).stream(for: "\(now.nanoseconds)")
    idDraw = chance.stream(for: "apns-id")
    faults = FaultDesk(seed: plan.seed, apps: plan.apps.map(\.bundleID))
    faultDelays = Chance(seed: plan.seed).stream(for: "answer delay")
    agenda.reserve(min(Self.entriesADevice * Int(plan.devices), Self.mostEntriesReserved))
    planFirstOpenings()
  }

  /// Every app that reports is opened once, so that its backend knows it.
  private mutating func planFirstOpenings() {
    guard reports.isOn, let span = reports.plan.opensWithin else { return }
    for app in fleet.plan.apps.indices where reports.reports(app) != nil {
      for number in 0..<fleet.plan.devices {
        let wait = reports.draws.opening.duration(in: .zero...span, UInt64(number), UInt64(app))
        plan(.opensFirst(DeviceID(number), app: app), due: began.advanced(by: wait))
      }
    }
  }

  package var rulebook: Rulebook { gatekeeper.rulebook }
  package var examiner: PushExaminer { gatekeeper.examiner }

  package var openConnectionCount: Int { connections.count }

  /// Open connections, in the order they came.
  package var openConnections: [OpenConnection] { openConnections(after: 0, limit: .max).connections }

  /// Those that came after the connection of that number, and whether there are more than `limit`.
  package func openConnections(after number: UInt64, limit: Int) -> (connections: [OpenConnection], hasMore: Bool) {
    let numbers = connections.keys.lazy.map(\.number).filter { $0 > number }.sorted()
    let page = numbers.prefix(limit).compactMap { number -> OpenConnection? in
      let id = ConnectionID(number)
      guard let caller = connections[id] else { return nil }
      return OpenConnection(
        id: id, environment: caller.provider.environment, peer: caller.peer, pushes: caller.pushes,
        refused: caller.refused)
    }
    return (page, page.count < numbers.count)
  }

  /// When `advance` must be called again at the latest; nil when nothing is due.
  package var nextDue: Instant? { agenda.nextDue }

  mutating func plan(_ work: Work, due: Instant) {
    guard due <= WorldClock.end else { return }
    // Work that plans itself again would otherwise never end.
    let due = working.map { max(due, $0.advanced(nanoseconds: 1)) } ?? due
    agenda.add(work, of: owner(of: work), due: due)
    soonest = min(soonest, due)
  }

  /// Whether there is anything to settle.
  package var hasNews: Bool { !events.isEmpty || !recorded.isEmpty }

  /// How much there is on the agenda.
  var agendaCount: Int { agenda.count }

  /// Says that nobody waits any more for so many entries of the agenda. They are dropped once they are half of it.
  mutating func agendaHasStale(_ count: Int) {
    stale += count
    guard stale > 64, 2 * stale > agenda.count else { return }
    stale = 0
    let faultsThere = Set(faults.armed.map(\.serial))
    agenda.keep { work, due in
      switch work {
      case .wire(let number): heldOrders.holds(number)
      case .faultBegins(let serial), .faultEnds(let serial): faultsThere.contains(serial)
      case .storeLooks(let device): store.look(for: device) == due
      case .silence: faults.nextLook == due
      default: true
      }
    }
    soonest = agenda.nextDue ?? .distantFuture
  }

  /// Takes what has happened since the last call; `list` is emptied first and keeps its storage.
  package mutating func takeEvents(into list: inout [Event]) {
    list.removeAll(keepingCapacity: true)
    swap(&events, &list)
  }

  /// Takes the calls since the last time, in their order.
  package mutating func takeRecordedCalls() -> [RecordedCall] {
    defer { recorded = [] }
    return recorded
  }

  /// Every door begins with this.
  @inline(__always)
  mutating func note(_ call: @autoclosure () -> DoorCall, at now: Now) {
    if records { recorded.append(RecordedCall(call(), at: now, firstEvent: events.count)) }
  }

  // MARK: - The doors

  /// A provider has come.
  package mutating func connectionOpened(
    _ connection: ConnectionID, to environment: Environment, peer: String, managesChannels: Bool = false, at now: Now
  ) {
    note(.opened(connection, environment, peer: peer, managesChannels: managesChannels), at: now)
    pass(to: now)
    last = nil
    connections[connection] = Caller(
      provider: ProviderConnection(environment: environment), peer: peer)
    if managesChannels { managers.insert(connection) }
    events.append(.connectionOpened(connection, environment, peer: peer))
    if !managesChannels { strike(opening: connection, to: environment, at: now.world) }
  }

  /// A provider has left; what it still had open is not answered.
  package mutating func connectionClosed(_ connection: ConnectionID, at now: Now) {
    note(.closed(connection), at: now)
    pass(to: now)
    last = nil
    guard connections.removeValue(forKey: connection) != nil else { return }
    faults.forget(connection)
    managers.remove(connection)
    events.append(.connectionClosed(connection))
    if heldOrders.isEmpty { return }
    let held = heldOrders.takeAll(of: connection)
    agendaHasStale(held.count)
    for held in held {
      if let push = held.push { events.append(.answerSent(push: push, .nothing(.connectionEnded), at: now.world)) }
    }
  }

  /// Something has become of an answer that was not expected of it: the stream or its connection ended first, or the
  /// client has no room for it; or, after that, it has left.
  package mutating func answerWent(
    to push: UInt64, on connection: ConnectionID, _ sent: SentAnswer, at now: Now
  ) {
    note(.answerWent(push: push, connection, sent), at: now)
    pass(to: now)
    if case .nothing = sent, heldOrders.drop(answerTo: push, on: connection) { agendaHasStale(1) }
    events.append(.answerSent(push: push, sent, at: now.world))
  }

  /// Something went wrong on a connection, or on the way to one.
  package mutating func connectionTroubled(_ kind: String, peer: String, _ sentence: String, at now: Now) {
    note(.troubled(kind: kind, peer: peer, sentence), at: now)
    pass(to: now)
    events.append(.trouble(Trouble(at: now.world, kind: kind, peer: peer, sentence: sentence)))
  }

  /// A client has opened streams that a GOAWAY had said would not be served; nobody answers them.
  package mutating func streamsIgnored(_ streams: [Int32], on connection: ConnectionID, at now: Now) {
    guard let peer = connections[connection]?.peer else { return }
    for stream in streams {
      let what = "The client opened stream \(stream) though a GOAWAY had named a lower last one; it is not answered."
      connectionTroubled("streamAfterGoAway", peer: peer, what, at: now)
    }
  }

  /// Streams that a client had opened were not served, and nothing of their requests was processed.
  package mutating func streamsUnserved(
    _ kind: String, _ sentence: String, on connection: ConnectionID, at now: Now
  ) {
    guard let peer = connections[connection]?.peer else { return }
    connectionTroubled(kind, peer: peer, sentence, at: now)
  }

  func managesChannels(_ connection: ConnectionID) -> Bool { managers.contains(connection) }

  mutating func place(of connection: ConnectionID) -> Dictionary<ConnectionID, Caller>.Index? {
    if let last, last.connection == connection { return last.index }
    guard let index = connections.index(forKey: connection) else { return nil }
    last = (connection, index)
    return index
  }

  /// Lends a connection's provider out, and takes it back as it has become.
  mutating func withProvider(
    of connection: ConnectionID, _ act: (inout World, inout ProviderConnection) -> Void
  ) {
    guard var caller = connections[connection] else { return }
    act(&self, &caller.provider)
    connections[connection]?.provider = caller.provider
  }

  /// The id of a request's answer where the client sent none.
  func drawRequestID(_ stream: StreamID) -> NotificationID {
    NotificationID(bits: idDraw.wideBits(stream.connection.number, UInt64(bitPattern: Int64(stream.number))))
  }

  /// Time passes: everything due by now happens, earliest first, and faults reach all their devices.
  package mutating func advance(to now: Now) {
    guard soonest <= now.world || hasWaves else { return }
    note(.advanced, at: now)
    finishWaves()
    while soonest <= now.world, doNext(by: now.world) != nil {
      soonest = agenda.nextDue ?? .distantFuture
      finishWaves()
    }
  }
}
