import APNs
import Devices
import Timeline

/// The sessions that are open, and the last of those that are closed.
package struct SessionRegistry: Sendable {
  package static let mostOpen = 1000
  package static let mostClosed = 1000
  /// Pushes that the ledgers of all open sessions may be told to keep.
  package static let mostKept = 10_000_000
  /// Pushes that closed sessions keep together; the newest one is kept whatever it has.
  static let mostKeptClosed = 200_000
  /// Names of sessions that are closed and forgotten.
  private static let mostForgotten = 10_000

  /// By place; a place that has become free is used again.
  private var open: [TestSession?] = []
  private var places: [String: Int] = [:]
  private var index = SessionIndex()
  /// In the order in which they were closed.
  private var closed: [TestSession] = []
  private var keptClosed = 0
  private var forgotten: [String] = []
  private var forgottenNames: Set<String> = []
  /// Whose the pushes are that are still on their way.
  private var waiting: [UInt64: Int] = [:]
  /// Whose the pushes are whose answers are held back.
  private var answers: [UInt64: Int] = [:]
  private var capacity = 0
  private var made: UInt64 = 0

  /// Bundle ids of the fleet's apps, by their numbers.
  private let apps: [String]

  package init(apps: [String] = []) { self.apps = apps }

  /// Asked before anything is read.
  package var hasOpen: Bool { !places.isEmpty }
  package var openCount: Int { places.count }

  /// Open ones in the order in which they were opened, then closed ones in the order in which they were closed.
  package var all: [TestSession] {
    open.compactMap(\.self).sorted { ($0.openedAt, $0.name) < ($1.openedAt, $1.name) } + closed
  }

  /// The names of all in that order, or of those that are open or closed. A session itself is dear to copy.
  package func names(isOpen: Bool?) -> [String] {
    let opened = open.indices.compactMap { place in open[place].map { ($0.openedAt, $0.name) } }.sorted { $0 < $1 }
    return (isOpen == false ? [] : opened.map(\.1)) + (isOpen == true ? [] : closed.map(\.name))
  }

  package subscript(name: String) -> TestSession? {
    places[name].flatMap { open[$0] } ?? closed.first { $0.name == name }
  }

  /// The session, or why it cannot be had.
  package func session(_ name: String) throws(CommandProblem) -> TestSession {
    if let session = self[name] { return session }
    if forgottenNames.contains(name) {
      throw CommandProblem(
        .gone, "session",
        "The session \(name) is closed and forgotten; the last \(Self.mostClosed) closed ones are kept, or fewer with"
          + " \(Self.mostKeptClosed) pushes together.")
    }
    let names = open.compactMap { $0?.name }.sorted()
    let known = names.isEmpty ? "none is open." : "open are \(names.prefix(10).joined(separator: ", "))."
    throw CommandProblem(.unknown, "session", "There is no session \(name); \(known)")
  }

  // MARK: - Opening and closing

  package mutating func open(_ order: SessionRequest, at now: Instant) throws(CommandProblem) -> TestSession {
    if let name = order.name, let twin = self[name] {
      throw CommandProblem(
        .conflict, "name",
        twin.isOpen
          ? "The session \(name) is open already."
          : "There is a closed session \(name), which stays as it is; delete it, or choose another name.")
    }
    for other in open.compactMap(\.self) where other.scope.overlaps(order.scope) {
      throw CommandProblem(
        .conflict, "session",
        "A push could belong to this session and to \(other.name), which is open; tell them apart by keys, topics or"
          + " devices that they do not share.")
    }
    guard places.count < Self.mostOpen else {
      throw CommandProblem(.senseless, "session", "No more than \(Self.mostOpen) sessions can be open at once.")
    }
    guard capacity + order.pushLog <= Self.mostKept else {
      throw CommandProblem(
        .senseless, "ledger",
        "The ledgers of all open sessions may keep \(Self.mostKept) pushes together; \(Self.mostKept - capacity) are"
          + " left.")
    }
    let name = order.name ?? madeName()
    let session = TestSession(name, order, apps: apps, at: now)
    let place = open.firstIndex { $0 == nil } ?? open.count
    if place == open.count { open.append(session) } else { open[place] = session }
    places[name] = place
    index.add(place, order.scope)
    capacity += order.pushLog
    if forgottenNames.remove(name) != nil { forgotten.removeAll { $0 == name } }
    return session
  }

  private mutating func madeName() -> String {
    repeat { made += 1 } while self["s\(made)"] != nil || forgottenNames.contains("s\(made)")
    return "s\(made)"
  }

  /// Closes a session: nothing changes it any more. Closed ones stay as they are.
  package mutating func close(_ name: String, at now: Instant, _ world: World) throws(CommandProblem) -> TestSession {
    guard var session = take(name) else { return try session(name) }
    session.close(at: now, world)
    closed.append(session)
    keptClosed += session.pushLog.count
    while closed.count > Self.mostClosed || keptClosed > Self.mostKeptClosed && closed.count > 1 {
      let oldest = closed.removeFirst()
      keptClosed -= oldest.pushLog.count
      forget(oldest.name)
    }
    return session
  }

  /// Forgets a session with all it has.
  package mutating func delete(_ name: String) throws(CommandProblem) {
    if take(name) != nil { return }
    guard let place = closed.firstIndex(where: { $0.name == name }) else {
      _ = try session(name)
      return
    }
    keptClosed -= closed.remove(at: place).pushLog.count
  }

  private mutating func take(_ name: String) -> TestSession? {
    guard let place = places.removeValue(forKey: name), let session = open[place] else { return nil }
    open[place] = nil
    index.remove(place, session.scope, reached: session.reached)
    waiting = waiting.filter { $0.value != place }
    answers = answers.filter { $0.value != place }
    capacity -= session.pushLog.capacity
    return session
  }

  private mutating func forget(_ name: String) {
    forgotten.append(name)
    forgottenNames.insert(name)
    if forgotten.count > Self.mostForgotten { forgottenNames.remove(forgotten.removeFirst()) }
  }

  // MARK: - Reading

  mutating func read(_ events: [WorldEvent]) {
    for index in events.indices {
      // Looked at where it lies, as the logs do.
      switch events[index] {
      case .push(let record): note(events[index], record)
      case .pushSettled(let number, _, let fate, let at):
        guard let place = waiting[number] else { continue }
        open[place]?.settle(events[index], number, FateStep(fate: fate, at: at))
        if fate.isFinal { waiting[number] = nil }
      case .answerSent(let number, let sent, let at):
        if let place = answers.removeValue(forKey: number) {
          open[place]?.sent(events[index], number, SentAnswerStep(sent: sent, at: at))
        } else {
          // None waited for it, so it is rare: a stream or a connection has ended too early.
          for place in open.indices { open[place]?.sent(events[index], number, SentAnswerStep(sent: sent, at: at)) }
        }
      case .phone(let device, let app, _, _): deliver(events[index], device, app)
      case .call(let call): deliver(events[index], call.device, call.app)
      case .callEnded(let end): deliver(events[index], end.device, end.app)
      case .connectionClosed:
        for place in open.indices { open[place]?.connectionClosed(events[index]) }
      default: break
      }
    }
  }

  private mutating func note(_ event: WorldEvent, _ record: PushRecord) {
    guard let place = index.owner(of: record) else { return }
    open[place]?.note(event, record)
    if !record.firstFate.isFinal { waiting[record.sequence] = place }
    if case .pending = record.firstSent { answers[record.sequence] = place }
    guard let device = record.address?.device, record.answer.rejection == nil, open[place]?.scope.devices == nil else {
      return
    }
    if index.reach(device, place) { open[place]?.reach(device) }
  }

  private mutating func deliver(_ event: WorldEvent, _ device: DeviceID, _ app: Int?) {
    for place in index.listeners(device, bundleID: app.flatMap { apps.indices.contains($0) ? apps[$0] : nil }) {
      open[place]?.note(event)
    }
  }
}
