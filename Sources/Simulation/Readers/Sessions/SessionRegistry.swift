import APNs
import Devices
import Timeline
import WireFormats

/// The open sessions, and the most recently closed ones.
package struct SessionRegistry: Sendable {
  package static let mostOpen = 1000
  package static let mostClosed = 1000
  /// Maximum capacity of the push logs of all open sessions together.
  package static let mostKept = 10_000_000
  /// Maximum number of pushes kept by closed sessions together; the newest session is always kept.
  static let mostKeptClosed = 200_000

  /// By index; free indices are reused.
  private var open: [TestSession?] = []
  private var places: [String: Int] = [:]
  var index = SessionIndex()
  var closed = ClosedSessions()
  /// The indices of sessions that are closed but have not ended; the index of scopes still has them.
  var held: Set<Int> = []
  private var broadcasts = HeardBroadcasts()
  /// The sessions whose pushes came on an open connection.
  private var callers: [ProviderConnectionID: Set<Int>] = [:]
  /// Number of sessions that were asked about an event that no index leads to.
  private(set) var looks = 0
  private var capacity = 0
  private var made: UInt64 = 0
  /// Number of sessions opened so far. It never begins again.
  private var opened: UInt64 = 0
  /// Of open sessions, in the order of opening.
  private var expiries: [(at: Instant, name: String)] = []
  /// The device after the one that was claimed last, so that phones of closed sessions are used again last.
  package private(set) var nextClaim: UInt32 = 0

  /// Bundle ids of the fleet's apps, by app number.
  package let apps: [String]

  package init(apps: [String] = []) { self.apps = apps }

  /// Forgets all sessions.
  mutating func beginAnew() {
    let opened = opened
    self = SessionRegistry(apps: apps)
    self.opened = opened
  }

  /// Checked before any event is read.
  package var hasOpen: Bool { !places.isEmpty }
  package var openCount: Int { places.count }

  /// Open sessions in the order of opening, then closed ones in the order of closing.
  package var all: [TestSession] {
    open.compactMap(\.self).sorted { ($0.openedAt, $0.name) < ($1.openedAt, $1.name) } + closed.all
  }

  /// The names of all sessions in that order, or of those that are open or closed. Copying a session is expensive.
  package func names(isOpen: Bool?) -> [String] {
    let opened = open.indices.compactMap { place in open[place].map { ($0.openedAt, $0.name) } }.sorted { $0 < $1 }
    return (isOpen == false ? [] : opened.map(\.1)) + (isOpen == true ? [] : closed.all.map(\.name))
  }

  package subscript(name: String) -> TestSession? {
    places[name].flatMap { open[$0] } ?? closed[name]
  }

  /// The session, or the reason why it is not available.
  package func session(_ name: String) throws(CommandProblem) -> TestSession {
    if let session = self[name] { return session }
    if closed.isForgotten(name) {
      throw CommandProblem(
        .gone, field: "session",
        sentence:
          "The session \(name) is closed and was dropped; the last \(Self.mostClosed) closed ones are kept, or fewer"
          + " with \(Self.mostKeptClosed) pushes together.")
    }
    let names = open.compactMap { $0?.name }.sorted()
    let known = names.isEmpty ? "no session is open." : "open sessions are \(names.prefix(10).joined(separator: ", "))."
    throw CommandProblem(.unknown, field: "session", sentence: "There is no session \(name); \(known)")
  }

  /// True if a session that is open, or has not ended, names the device.
  package func names(_ device: DeviceID) -> Bool { index.names(device) }

  /// The time at which the next session expires, by the machine's clock.
  package var nextExpiry: Instant? { expiries.map(\.at).min() }

  /// The session that has expired first of those that are not closed yet.
  package func expired(at wall: Instant) -> String? {
    expiries.filter { $0.at <= wall }.min { ($0.at, $0.name) < ($1.at, $1.name) }?.name
  }

  // MARK: - Opening and closing

  package mutating func claimed(_ device: DeviceID) { nextClaim = device.number &+ 1 }

  package mutating func open(
    _ order: SessionRequest, at now: Instant, until expiry: Instant? = nil
  ) throws(CommandProblem) -> TestSession {
    if let name = order.name, let twin = self[name] {
      throw CommandProblem(
        .conflict, field: "name",
        sentence: twin.isOpen
          ? "The session \(name) is already open."
          : "A closed session \(name) exists; delete it, or choose another name.")
    }
    if let other = index.overlapping(order.scope) {
      let name = open[other].map { "the open session \($0.name)" } ?? "a session that has not ended"
      throw CommandProblem(
        .conflict, field: "session",
        sentence: "A push could match both this session and \(name); they must differ in their keys, topics or devices."
      )
    }
    guard places.count < Self.mostOpen else {
      throw CommandProblem(
        .impossible, field: "session", sentence: "No more than \(Self.mostOpen) sessions can be open at once.")
    }
    guard capacity + order.pushLog <= Self.mostKept else {
      throw CommandProblem(
        .impossible, field: "ledger",
        sentence: "The ledgers of all open sessions can keep at most \(Self.mostKept) pushes together;"
          + " \(Self.mostKept - capacity) are left.")
    }
    let name = order.name ?? madeName()
    opened += 1
    let session = TestSession(name, number: opened, order: order, at: now, until: expiry)
    if let expiry { expiries.append((expiry, name)) }
    let place = open.indices.first { open[$0] == nil && !held.contains($0) } ?? open.count
    if place == open.count { open.append(session) } else { open[place] = session }
    places[name] = place
    index.add(place, order.scope)
    capacity += order.pushLog
    closed.reopened(name)
    return session
  }

  private mutating func madeName() -> String {
    repeat { made += 1 } while self["s\(made)"] != nil || closed.isForgotten("s\(made)")
    return "s\(made)"
  }

  /// Closes a session. A closed session does not change any more, but its expectations must be evaluated.
  package mutating func close(_ name: String, at now: Instant) throws(CommandProblem) {
    guard let (taken, place) = take(name) else {
      _ = try session(name)
      return
    }
    var session = taken
    session.close(at: now)
    held.insert(place)
    closed.add(session, at: place)
  }

  /// Replaces the expectations of an open session by those of another order.
  package mutating func expect(
    _ order: SessionRequest, of name: String, at now: Instant
  ) throws(CommandProblem) -> TestSession {
    guard let place = places[name] else {
      _ = try session(name)
      throw CommandProblem(
        .conflict, field: "session", sentence: "The session \(name) is closed, and its verdicts stay as they are.")
    }
    open[place]?.expect(order, at: now)
    return try session(name)
  }

  /// Deletes a session with all its data.
  package mutating func delete(_ name: String) throws(CommandProblem) {
    if let (session, place) = take(name) { return release(EndingSession(session, at: place)) }
    let (wasThere, ending) = closed.remove(name)
    guard wasThere else {
      _ = try session(name)
      return
    }
    if let ending { release(ending) }
  }

  /// An open session and its index. It receives no more events.
  private mutating func take(_ name: String) -> (TestSession, Int)? {
    guard let place = places.removeValue(forKey: name), let session = open[place] else { return nil }
    open[place] = nil
    expiries.removeAll { $0.name == name }
    broadcasts.remove(place)
    capacity -= session.pushLog.capacity
    return (session, place)
  }

  // MARK: - Reading

  /// Reads an event other than `push`.
  ///
  /// - Parameters:
  ///   - index: of the event, which is read in place, as in the logs.
  ///   - change: of the push that the event is about.
  /// - Returns: the session of a push whose answer waits, if the notes about the push have none.
  mutating func read(_ events: [WorldEvent], at index: Int, change: PushChange?) -> SessionOwner? {
    switch events[index] {
    case .channels(let record): note(events[index], record)
    case .broadcastReached(let number, let device, _, _): note(events[index], number, on: device)
    case .pushSettled(let number, let device, _, _) where BroadcastNumber.isBroadcast(number):
      note(events[index], number, on: device)
    case .pushSettled(_, _, _, let at):
      guard let change, let place = place(of: change.before.notes.owner) else { break }
      open[place]?.settle(events[index], change: change, at: at)
    case .answerSent(_, let sent, let at):
      guard let change else { break }
      let known = place(of: change.before.notes.owner)
      // Without a note, a stream or a connection has ended too early.
      guard let place = known ?? owner(of: change.record) else { break }
      open[place]?.sent(events[index], change: change, at: at)
      if known == nil, case .pending = sent { return owner(at: place) }
    case .phone(let device, let app, _, _): deliver(events[index], on: device, app: app)
    case .call(let call): deliver(events[index], on: call.device, app: call.app)
    case .callEnded(let end): deliver(events[index], on: end.device, app: end.app)
    case .connectionClosed(let connection):
      for place in (callers.removeValue(forKey: connection) ?? []).sorted() {
        looks += 1
        open[place]?.connectionClosed(events[index])
      }
    default: break
    }
    return nil
  }

  /// The index of a session that is still open.
  private func place(of owner: SessionOwner?) -> Int? {
    guard let owner, open.indices.contains(owner.place), open[owner.place]?.number == owner.opening else { return nil }
    return owner.place
  }

  private func owner(at place: Int) -> SessionOwner? {
    open[place].map { SessionOwner(place: place, opening: $0.number) }
  }

  private mutating func owner(of record: PushRecord) -> Int? {
    looks += 1
    return openPlace(of: record)
  }

  /// The index of the open session that a push belongs to.
  private func openPlace(of record: PushRecord) -> Int? {
    index.owner(of: record).flatMap { held.contains($0) ? nil : $0 }
  }

  /// Reads a push.
  ///
  /// - Returns: the session that the push belongs to.
  mutating func note(_ event: WorldEvent, _ record: PushRecord) -> SessionOwner? {
    guard let place = openPlace(of: record) else { return nil }
    if open[place]?.note(event, record) ?? false { callers[record.stream.connection, default: []].insert(place) }
    if !index.namesDevices(place), record.answer.rejection == nil, let device = record.address?.device,
      index.reach(device, place)
    {
      open[place]?.reach(device)
    }
    return owner(at: place)
  }

  /// A broadcast has no device, so every session with its key and its app hears of it.
  private mutating func note(_ event: WorldEvent, _ record: ChannelRecord) {
    let hearing = open.indices.filter { open[$0]?.scope.hears(of: record) ?? false }
    for place in hearing { open[place]?.note(event) }
    guard record.operation == .publish else { return }
    broadcasts.add(record.number, hearing, naming: index.namesDevices)
  }

  /// The arrival of a broadcast on a phone.
  private mutating func note(_ event: WorldEvent, _ number: UInt64, on device: DeviceID) {
    for place in broadcasts.listeners(number & ~BroadcastNumber.mark, naming: index.naming(device)) {
      looks += 1
      open[place]?.note(event)
    }
  }

  private mutating func deliver(_ event: WorldEvent, on device: DeviceID, app: Int?) {
    for place in index.listeners(device, bundleID: app.flatMap { apps.indices.contains($0) ? apps[$0] : nil }) {
      open[place]?.note(event)
    }
  }
}

// MARK: - Owners

extension SessionRegistry {
  /// The open session that a push belongs to.
  package func owner(of record: PushRecord) -> String? {
    index.owner(of: record).flatMap { open.indices.contains($0) ? open[$0]?.name : nil }
  }

  /// True if an open session receives the events of an app on a phone, or of the whole phone.
  package func hears(_ name: String, _ device: DeviceID, app: Int?) -> Bool {
    guard let place = places[name] else { return false }
    return index.hears(place, device, bundleID: app.flatMap { apps.indices.contains($0) ? apps[$0] : nil })
  }
}
