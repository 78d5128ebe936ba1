import Synchronization

/// A wish to stop that may be spoken on any thread.
public final class Stopper: Sendable {
  private let asked = Atomic(false)

  public func stop() { asked.store(true, ordering: .releasing) }

  var isAsked: Bool { asked.load(ordering: .acquiring) }
}
