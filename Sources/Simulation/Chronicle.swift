import APNs
import Timeline

/// The readers of the world's events that keep something: the ledger, the counts, the troubles.
package struct Chronicle: Sendable {
  package private(set) var ledger: Ledger
  package private(set) var metrics = Metrics()
  /// Requests about channels that are kept.
  private static let broadcastsKept = 500
  /// Newest last.
  package private(set) var broadcasts: [ChannelRecord] = []
  package private(set) var troubles = TroubleLog()

  /// What has happened on the phones beside the pushes themselves.
  package private(set) var journal: Journal
  /// What the apps have told their backends.
  package private(set) var calls: CallLog

  /// Nil where nobody asked for audits.
  package private(set) var auditor: Auditor?

  /// Nil where nothing is expected of the run.
  package var watch: Watch?

  package init(ledgerCapacity: Int, audits: Bool = false) {
    auditor = audits ? Auditor() : nil
    ledger = Ledger(capacity: ledgerCapacity)
    journal = Journal(capacity: 4 * ledgerCapacity)
    calls = CallLog(capacity: ledgerCapacity)
    ledger.reserve()
    journal.reserve()
  }

  /// - Parameter step: the step of a scenario whose doing they are; nil for what came by itself.
  package mutating func read(_ events: [Event], of step: Int? = nil) {
    if watch != nil { watch?.read(events, of: step, ledger) }
    if auditor != nil { for event in events { auditor?.read(event) } }
    for index in events.indices {
      // Looked at where it lies: most events are pushes, and a copy of one costs as much as noting it.
      if case .push(let record) = events[index] {
        metrics.notePush(record.facts)
        ledger.note(record)
      } else {
        readOther(events[index])
      }
    }
  }

  private mutating func readOther(_ event: Event) {
    switch event {
    case .trouble(let trouble):
      troubles.note(trouble)
    case .pushSettled(let number, let device, let fate, let at):
      metrics.noteLater(fate, ledger.step(number, FateStep(fate: fate, at: at)))
      journal.note(.settled(push: number, fate), app: nil, on: device, at: at, after: ledger.total)
    case .answerSent(let number, let sent, let at):
      if let before = ledger.sent(number, SentStep(sent: sent, at: at)) { metrics.noteSent(before, sent) }
    case .channels(let record):
      if broadcasts.count >= 2 * Self.broadcastsKept { broadcasts.removeFirst(Self.broadcastsKept) }
      broadcasts.append(record)
    case .broadcastReached(let number, let device, let fate, let at):
      journal.note(.broadcast(number & ~(1 << 63), fate), app: nil, on: device, at: at, after: ledger.total)
    case .callEnded(let end):
      calls.note(end)
      journal.note(.called(end), app: end.app, on: end.device, at: end.at, after: ledger.total)
    case .phone(let device, let app, let happening, let at):
      journal.note(.happened(happening), app: app, on: device, at: at, after: ledger.total)
    default: break
    }
    metrics.note(event)
  }
}
