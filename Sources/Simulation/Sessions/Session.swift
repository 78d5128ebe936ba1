import APNs
import Devices
import Timeline

/// What happened to one test's pushes and phones while it was open. A reader of events like the ledger; what is closed
/// reads no more.
package struct Session: Sendable {
  package let name: String
  package let scope: SessionScope
  package let openedAt: Instant
  package private(set) var closedAt: Instant?
  package private(set) var ledger: Ledger
  package private(set) var metrics = Metrics()
  package private(set) var auditor = Auditor()
  package private(set) var calls: CallLog
  /// Nil where nothing is expected of it, and once it is judged.
  private var watch: Watch?
  package let expected: Int
  /// What has come of its expectations, once it is closed.
  package private(set) var verdicts: [Scenario.Verdict] = []
  /// Phones that its pushes have reached, where the scope does not name them.
  private(set) var reached: [DeviceID] = []

  init(_ name: String, _ order: SessionOrder, at now: Instant) {
    self.name = name
    scope = order.scope
    openedAt = now
    ledger = Ledger(capacity: order.ledger)
    calls = CallLog(capacity: order.ledger)
    expected = order.expectations.count
    if expected > 0 { watch = Watch(order.expectations.map { $0.bound(to: order.scope) }, began: now) }
  }

  package var isOpen: Bool { closedAt == nil }

  /// Whether all that was expected came true; nil while it is open, and where nothing was expected.
  package var passed: Bool? { isOpen || expected == 0 ? nil : verdicts.allSatisfy(\.passed) }

  mutating func close(at now: Instant, _ world: World) {
    closedAt = now
    guard var watch else { return }
    self.watch = nil
    verdicts = watch.expectations.indices.map { index in
      Judge(watch, index, world, ledger, at: now, passed: openedAt.duration(to: now)).verdict(&watch)
    }
  }

  mutating func note(_ event: Event, _ record: PushRecord) {
    watch?.read([event], of: nil, ledger)
    auditor.read(event)
    metrics.notePush(record.facts)
    ledger.note(record)
  }

  mutating func settle(_ event: Event, _ number: UInt64, _ step: FateStep) {
    watch?.read([event], of: nil, ledger)
    metrics.noteLater(step.fate, ledger.step(number, step))
    auditor.read(event)
    metrics.note(event)
  }

  /// Something else was sent in answer to a push, which need not be one of its own.
  mutating func sent(_ event: Event, _ number: UInt64, _ step: SentStep) {
    guard ledger.push(number: number) != nil else { return }
    watch?.read([event], of: nil, ledger)
    if let before = ledger.sent(number, step) { metrics.noteSent(before, step.sent) }
  }

  /// A phone, or the call of an app.
  mutating func note(_ event: Event) {
    watch?.read([event], of: nil, ledger)
    if case .callEnded(let end) = event { calls.note(end) }
    metrics.note(event)
  }

  mutating func connectionClosed(_ event: Event) {
    watch?.read([event], of: nil, ledger)
    auditor.read(event)
  }

  mutating func reach(_ device: DeviceID) { reached.append(device) }
}
