import Admin
import Synchronization
import Timeline
import Transport

/// Closes sessions when they expire, and evaluates the expectations of closed ones, for which no client need wait: on
/// the thread of queries.
final class SessionEnder: Sendable {
  private let queries: WorkThread
  private let gateway = Mutex<Gateway?>(nil)
  private let alarm = Mutex<(@Sendable (Instant) -> Void)?>(nil)
  /// True while a job waits for its turn. The job sees everything that was closed before.
  private let isQueued = Atomic(false)

  /// Time until the next attempt to get a turn if too many others wait.
  private static let patience: Duration = .seconds(1)

  init(_ queries: WorkThread) { self.queries = queries }

  /// - Parameter alarm: calls `begin` at a time of the machine's clock.
  func connect(_ gateway: Gateway, alarm: @escaping @Sendable (Instant) -> Void) {
    self.gateway.withLock { $0 = gateway }
    self.alarm.withLock { $0 = alarm }
  }

  /// Does what is due, in several jobs if it takes long, so that others have their turn in between.
  func begin() {
    guard !isQueued.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let isTaken = queries.run { [self] in
      isQueued.store(false, ordering: .releasing)
      if !goOn() { begin() }
    }
    if isTaken { return }
    isQueued.store(false, ordering: .releasing)
    if !queries.isEnding { wake(at: SystemClock.now.advanced(by: Self.patience)) }
  }

  /// - Returns: whether nothing is left.
  private func goOn() -> Bool {
    guard let gateway = gateway.withLock({ $0 }) else { return true }
    return AdminService.endSessions(tell: wake) { body in
      gateway.work { simulator, wall in ((), body(&simulator, wall)) }
    }
  }

  private func wake(at due: Instant) { alarm.withLock { $0 }?(due) }
}
