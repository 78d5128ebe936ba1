import APNs
import Timeline

/// The readers of the world's events that keep something: the ledger, the counts, the troubles.
package struct Chronicle: Sendable {
  /// Troubles kept; the metrics count all.
  private static let troublesKept = 500

  package private(set) var ledger: Ledger
  package private(set) var metrics = Metrics()
  /// Newest last.
  package private(set) var troubles: [Trouble] = []

  package init(ledgerCapacity: Int) { ledger = Ledger(capacity: ledgerCapacity) }

  package mutating func read(_ events: [Event]) {
    for index in events.indices { read(events[index]) }
  }

  private mutating func read(_ event: Event) {
    switch event {
    case .push(let record):
      metrics.notePush(record.environment, record.answer.refusal, record.fate)
      ledger.note(record)
      return
    case .trouble(let trouble):
      // Half at a time, so that a flood of troubles does not move the list for each.
      if troubles.count >= 2 * Self.troublesKept { troubles.removeFirst(Self.troublesKept) }
      troubles.append(trouble)
    default: break
    }
    metrics.note(event)
  }
}
