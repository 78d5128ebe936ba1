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
  /// Phones that its pushes have reached, where the scope does not name them.
  private(set) var reached: [DeviceID] = []

  init(_ name: String, _ scope: SessionScope, ledgerCapacity: Int, at now: Instant) {
    self.name = name
    self.scope = scope
    openedAt = now
    ledger = Ledger(capacity: ledgerCapacity)
    calls = CallLog(capacity: ledgerCapacity)
  }

  package var isOpen: Bool { closedAt == nil }

  mutating func close(at now: Instant) { closedAt = now }

  mutating func note(_ event: Event, _ record: PushRecord) {
    auditor.read(event)
    metrics.notePush(record.facts)
    ledger.note(record)
  }

  mutating func settle(_ event: Event, _ number: UInt64, _ step: FateStep) {
    ledger.step(number, step)
    auditor.read(event)
    metrics.note(event)
  }

  /// A phone, or the call of an app.
  mutating func note(_ event: Event) {
    if case .callEnded(let end) = event { calls.note(end) }
    metrics.note(event)
  }

  mutating func connectionClosed(_ event: Event) { auditor.read(event) }

  mutating func reach(_ device: DeviceID) { reached.append(device) }
}
