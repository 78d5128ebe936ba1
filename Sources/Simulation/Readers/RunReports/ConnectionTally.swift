import APNs
import Timeline

/// The numbers of a sender's connections, and of the pushes on them.
package struct ConnectionTally: Sendable {
  package private(set) var opened: UInt64 = 0
  package private(set) var closed: UInt64 = 0
  package private(set) var mostOpen = 0
  /// Pushes of each connection that is closed.
  private var pushes = Histogram()
  /// Pushes that one read of a connection brought: at least this many streams were in use.
  package private(set) var reads = Histogram()
  private var open: [ProviderConnectionID: UInt64] = [:]
  /// The connection used last, and its pushes: requests arrive in runs.
  private var current: (id: ProviderConnectionID, pushes: UInt64)?
  private var read: (id: ProviderConnectionID, pushes: UInt64)?

  package init() {}

  /// Pushes of each connection, the open ones included.
  package var pushesPerConnection: Histogram {
    var all = pushes
    var open = open
    if let current { open[current.id] = current.pushes }
    for count in open.values { all.add(count) }
    return all
  }

  mutating func open(_ id: ProviderConnectionID) {
    opened += 1
    open[id] = 0
    mostOpen = max(mostOpen, open.count)
  }

  mutating func close(_ id: ProviderConnectionID) {
    if current?.id == id { putBack() }
    guard let count = open.removeValue(forKey: id) else { return }
    closed += 1
    pushes.add(count)
  }

  mutating func push(on id: ProviderConnectionID) {
    if current?.id != id {
      putBack()
      current = (id, open[id] ?? 0)
    }
    current?.pushes += 1
    // A simulated provider uses no socket.
    guard id.number < ProviderConnectionID.firstSimulated else { return }
    if read?.id != id {
      endRead()
      read = (id, 0)
    }
    read?.pushes += 1
  }

  /// The events of one read have been counted.
  mutating func endRead() {
    if let read { reads.add(read.pushes) }
    read = nil
  }

  private mutating func putBack() {
    if let current { open[current.id] = current.pushes }
    current = nil
  }
}
