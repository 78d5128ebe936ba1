import Synchronization
import Transport

/// A thread for work that may wait for others, such as locks of files, or take long, such as making RSA keys and
/// queries of a full ledger, so that no loop waits. Thread-safe.
///
/// Does one job after another, and exists only while there are jobs.
final class WorkThread: Sendable {
  typealias Job = @Sendable () -> Void

  private struct Order {
    let job: Job
    let isDropped: Job
  }

  private struct State {
    var jobs: [Order] = []
    var isRunning = false
    var isEnding = false
  }

  /// Assumed: more than come at once. Most have a connection of the admin API, but its client may have gone.
  static let most = 128

  /// Receives a message when no job is running any more after `end`.
  let ended = Mailbox<Void>()
  private let state = Mutex(State())

  /// True once the server stops: jobs that wait for others must give up.
  var isEnding: Bool { state.withLock { $0.isEnding } }

  /// Does a job after those that came before.
  ///
  /// - Parameter isDropped: called instead of the job if the server stops before it begins.
  /// - Returns: false if there are too many jobs, or the server stops.
  func run(_ job: @escaping Job, isDropped: @escaping Job = {}) -> Bool {
    state.withLock { state in
      guard !state.isEnding, state.jobs.count < Self.most else { return false }
      if !state.isRunning {
        guard let thread = LoopThread({ [self] in work() }) else { return false }
        thread.detach()
        state.isRunning = true
      }
      state.jobs.append(Order(job: job, isDropped: isDropped))
      return true
    }
  }

  /// Drops the jobs that have not begun.
  func end() {
    let (dropped, isRunning) = state.withLock { state in
      state.isEnding = true
      defer { state.jobs = [] }
      return (state.jobs, state.isRunning)
    }
    for order in dropped { order.isDropped() }
    if !isRunning { ended.post(()) }
  }

  private func work() {
    while true {
      let (order, isEnding) = state.withLock { state -> (Order?, Bool) in
        if state.jobs.isEmpty { state.isRunning = false }
        return (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isEnding)
      }
      guard let order else {
        if isEnding { ended.post(()) }
        return
      }
      order.job()
    }
  }
}
