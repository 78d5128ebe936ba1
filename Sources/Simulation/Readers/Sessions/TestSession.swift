import APNs
import Devices
import Timeline
import WireFormats

/// The pushes of one test, and the events of its phones, while the session was open. A reader of events like the push
/// log; a closed session reads no more.
package struct TestSession: Sendable {
  package let name: String
  /// Of its opening: another session may have the name later.
  package let number: UInt64
  package let scope: Filter
  package let openedAt: Instant
  package private(set) var closedAt: Instant?
  /// The time at which the session is closed if nobody closes it before, by the machine's clock; nil for never.
  package let expiresAt: Instant?
  package private(set) var pushLog: PushLog
  package private(set) var metrics = Metrics()
  package private(set) var auditor = Auditor()
  package private(set) var calls: CallLog
  /// Nil if it has no expectations, and after they are evaluated.
  private var observer: Observer?
  /// The evaluation of its expectations, after it is closed and before all are evaluated.
  private var round: VerdictRound?
  package private(set) var expected = 0
  /// The session's expectations as they were written, for responses.
  package private(set) var given: JSONValue?
  /// Times of expectations count from here.
  private var expectsSince: Instant
  /// The results of its expectations, once it is closed.
  package private(set) var verdicts: [Verdict] = []
  /// The faults that it had at its end, with the number of times that each has struck.
  package private(set) var struck: [(fault: String, count: UInt64)] = []
  /// Phones that its pushes have reached, if the scope does not name devices.
  private(set) var reached: [DeviceID] = []

  init(_ name: String, number: UInt64, order: SessionRequest, at now: Instant, until expiry: Instant? = nil) {
    self.name = name
    self.number = number
    scope = order.scope
    openedAt = now
    expiresAt = expiry
    pushLog = PushLog(capacity: order.pushLog)
    calls = CallLog(capacity: order.pushLog)
    expectsSince = now
    expect(order, at: now)
  }

  /// Replaces its expectations. Earlier events do not count: they have been read already.
  mutating func expect(_ order: SessionRequest, at now: Instant) {
    expected = order.observer?.expectations.count ?? 0
    given = order.given
    expectsSince = now
    observer = order.observer
    guard expected > 0 else { return }
    // Sorted once: all expectations share the list of devices.
    var scope = scope
    scope.devices?.sort()
    observer?.begin(at: now, in: scope)
  }

  package var isOpen: Bool { closedAt == nil }

  /// True if all expectations passed; nil until they are evaluated, or without expectations.
  package var passed: Bool? { isOpen || isClosing || expected == 0 ? nil : verdicts.allSatisfy(\.passed) }

  /// True if it is closed, but its expectations are not all evaluated.
  var isClosing: Bool { round != nil }

  mutating func close(at now: Instant) {
    closedAt = now
    guard let observer else { return }
    round = VerdictRound(of: observer, explains: true, at: now, passed: expectsSince.duration(to: now))
  }

  /// Notes how often its faults have struck, before they are removed.
  mutating func note(_ faults: FaultRegistry) {
    struck = faults.active.filter { $0.fault.session == name }.map { ($0.fault.label, $0.struck) }
  }

  /// Continues to evaluate its expectations.
  ///
  /// - Parameter work: how much may be done; what was done is subtracted.
  /// - Returns: whether all are evaluated.
  mutating func evaluate(_ world: World, _ work: inout Int) -> Bool {
    guard let observer, var round else { return true }
    // Uniquely referenced, because otherwise each portion would copy the verdicts so far.
    self.round = nil
    guard round.go(observer, world: world, pushLog: pushLog, work: &work) else {
      self.round = round
      return false
    }
    verdicts = round.verdicts
    self.observer = nil
    return true
  }

  /// - Returns: whether the push is the session's first on an open connection.
  mutating func note(_ event: WorldEvent, _ record: PushRecord) -> Bool {
    observe(event)
    auditor.read(event)
    metrics.countPush(record.facts)
    pushLog.append(record)
    return auditor.hasNewConnection
  }

  /// A push has another fate.
  mutating func settle(_ event: WorldEvent, change: PushChange, at now: Instant) {
    observe(event, change: change)
    let step = FateStep(fate: change.fate, at: now)
    metrics.countLater(step.fate, pushLog.step(change.before.number, step))
    auditor.read(event)
    metrics.count(event)
  }

  /// Another answer was sent to a push, which need not be one of its own.
  mutating func sent(_ event: WorldEvent, change: PushChange, at now: Instant) {
    let number = change.before.number
    guard pushLog.push(number: number) != nil else { return }
    observe(event, change: change)
    let step = SentAnswerStep(sent: change.sent, at: now)
    if let before = pushLog.sent(number, step) { metrics.countSent(before, step.sent) }
  }

  /// An event of a phone, or the call of an app.
  mutating func note(_ event: WorldEvent) {
    observe(event)
    auditor.read(event)
    if case .callEnded(let end) = event { calls.append(end) }
    metrics.count(event)
  }

  mutating func connectionClosed(_ event: WorldEvent) {
    observe(event)
    auditor.read(event)
  }

  /// Lets the observer read an event. The result is not needed: every push of a session is followed.
  private mutating func observe(_ event: WorldEvent, change: PushChange? = nil) {
    _ = observer?.read([event], at: 0, change: change, of: nil, keeping: pushLog.capacity)
  }

  mutating func reach(_ device: DeviceID) { reached.append(device) }
}

/// A request to open a session.
package struct SessionRequest: Sendable {
  /// Nil for a generated name.
  package var name: String?
  package var scope = Filter()
  /// Number of pushes that its push log keeps.
  package var pushLog = usualPushLog

  /// The longest time for which the session may stay open, by the machine's clock; nil for ever.
  package var life: Duration?

  /// Made by `expect`; nil without expectations.
  fileprivate(set) var observer: Observer?
  /// The expectations as they were written.
  package var given: JSONValue?

  package static let usualPushLog = 10_000

  package init() {}

  /// Takes long with many expectations that name many devices, but needs no hold of the lock.
  ///
  /// - Parameter apps: bundle ids of the fleet.
  package mutating func expect(_ expectations: [Expectation], apps: [String]) {
    observer = expectations.isEmpty ? nil : Observer(expectations, apps: apps, began: .distantPast)
  }
}
