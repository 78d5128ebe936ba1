import Dispatch
import Synchronization

/// A person's request, by a signal, to end something that takes time.
final class Interruption: Sendable {
  private let wanted = Atomic(false)
  private let news = DispatchSemaphore(value: 0)

  var isWanted: Bool { wanted.load(ordering: .relaxed) }

  /// - Returns: whether it was wanted before.
  func want() -> Bool {
    defer { news.signal() }
    return wanted.exchange(true, ordering: .relaxed)
  }

  /// Waits that long, or until it is wanted.
  func wait(_ length: Duration) {
    _ = news.wait(timeout: .now() + .nanoseconds(Int(length / .nanoseconds(1))))
  }
}
