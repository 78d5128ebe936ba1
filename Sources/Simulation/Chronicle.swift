import APNs
import Timeline

/// The readers of the world's events that keep something: the ledger, the counts, the troubles, who is connected.
package struct Chronicle: Sendable {
  /// A provider's connection that is open.
  package struct OpenConnection: Sendable {
    package let id: ConnectionID
    package let environment: Environment
    package let peer: String
    package fileprivate(set) var pushes: UInt64 = 0
    package fileprivate(set) var refused: UInt64 = 0
  }

  /// Troubles kept; the metrics count all.
  private static let troublesKept = 500

  package private(set) var ledger: Ledger
  package private(set) var metrics = Metrics()
  /// Newest last.
  package private(set) var troubles: [Trouble] = []
  private var open: [ConnectionID: OpenConnection] = [:]

  package init(ledgerCapacity: Int) { ledger = Ledger(capacity: ledgerCapacity) }

  /// Open connections in the order they came.
  package var connections: [OpenConnection] { open.values.sorted { $0.id.number < $1.id.number } }

  package mutating func read(_ events: [Event]) {
    for event in events { read(event) }
  }

  private mutating func read(_ event: Event) {
    metrics.note(event)
    switch event {
    case .push(let record):
      ledger.note(record)
      if let index = open.index(forKey: record.stream.connection) {
        open.values[index].pushes += 1
        if record.answer.refusal != nil { open.values[index].refused += 1 }
      }
    case .connectionOpened(let id, let environment, let peer):
      open[id] = OpenConnection(id: id, environment: environment, peer: peer)
    case .connectionClosed(let id): open[id] = nil
    case .trouble(let trouble):
      // Half at a time, so that a flood of troubles does not move the list for each.
      if troubles.count >= 2 * Self.troublesKept { troubles.removeFirst(Self.troublesKept) }
      troubles.append(trouble)
    default: break
    }
  }
}
