import Synchronization

/// The client of a request that may be answered later. Once it has left, whatever is done for it can end.
package final class WaitingClient: Sendable {
  private let hasLeft = Atomic(false)

  package init() {}

  package var isGone: Bool { hasLeft.load(ordering: .relaxed) }
  package func leave() { hasLeft.store(true, ordering: .relaxed) }
}
