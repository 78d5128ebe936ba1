import APNs
import Devices
import Timeline
import WireFormats

/// What happened to one test's pushes and phones while it was open. A reader of events like the push log; what is
/// closed reads no more.
package struct TestSession: Sendable {
  package let name: String
  package let scope: Filter
  package let openedAt: Instant
  package private(set) var closedAt: Instant?
  package private(set) var pushLog: PushLog
  package private(set) var metrics = Metrics()
  package private(set) var auditor = Auditor()
  package private(set) var calls: CallLog
  /// Nil where nothing is expected of it, and once it is judged.
  private var observer: Observer?
  package let expected: Int
  /// What is expected, as it was given, to be shown again.
  package let given: JSONValue?
  /// What has come of its expectations, once it is closed.
  package private(set) var verdicts: [Scenario.Verdict] = []
  /// Phones that its pushes have reached, where the scope does not name them.
  private(set) var reached: [DeviceID] = []

  init(_ name: String, _ order: SessionRequest, apps: [String], at now: Instant) {
    self.name = name
    scope = order.scope
    openedAt = now
    pushLog = PushLog(capacity: order.pushLog)
    calls = CallLog(capacity: order.pushLog)
    expected = order.expectations.count
    given = order.given
    guard expected > 0 else { return }
    observer = Observer(order.expectations.map { $0.bound(to: order.scope) }, apps: apps, began: now)
  }

  package var isOpen: Bool { closedAt == nil }

  /// Whether all that was expected came true; nil while it is open, and where nothing was expected.
  package var passed: Bool? { isOpen || expected == 0 ? nil : verdicts.allSatisfy(\.passed) }

  mutating func close(at now: Instant, _ world: World) {
    closedAt = now
    guard var observer else { return }
    self.observer = nil
    verdicts = observer.expectations.indices.map { index in
      Evaluator(observer, index, world, pushLog, at: now, passed: openedAt.duration(to: now)).verdict(&observer)
    }
  }

  mutating func note(_ event: WorldEvent, _ record: PushRecord) {
    observer?.read([event], of: nil, pushLog)
    auditor.read(event)
    metrics.countPush(record.facts)
    pushLog.append(record)
  }

  mutating func settle(_ event: WorldEvent, _ number: UInt64, _ step: FateStep) {
    observer?.read([event], of: nil, pushLog)
    metrics.countLater(step.fate, pushLog.step(number, step))
    auditor.read(event)
    metrics.count(event)
  }

  /// Something else was sent in answer to a push, which need not be one of its own.
  mutating func sent(_ event: WorldEvent, _ number: UInt64, _ step: SentAnswerStep) {
    guard pushLog.push(number: number) != nil else { return }
    observer?.read([event], of: nil, pushLog)
    if let before = pushLog.sent(number, step) { metrics.countSent(before, step.sent) }
  }

  /// A phone, or the call of an app.
  mutating func note(_ event: WorldEvent) {
    observer?.read([event], of: nil, pushLog)
    if case .callEnded(let end) = event { calls.append(end) }
    metrics.count(event)
  }

  mutating func connectionClosed(_ event: WorldEvent) {
    observer?.read([event], of: nil, pushLog)
    auditor.read(event)
  }

  mutating func reach(_ device: DeviceID) { reached.append(device) }
}

/// What is asked of a session that is to be opened.
package struct SessionRequest: Sendable {
  /// Nil for one that is made up.
  package var name: String?
  package var scope = Filter()
  /// Pushes that its push log keeps.
  package var pushLog = usualPushLog

  package var expectations: [Scenario.Expectation] = []
  /// The same as it was written.
  package var given: JSONValue?

  package static let usualPushLog = 10_000

  package init() {}
}
