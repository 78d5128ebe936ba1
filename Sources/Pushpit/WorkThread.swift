import Synchronization
import Transport

/// A thread for work that may wait for others, such as locks of files, or take long, such as making RSA keys and
/// queries of a full ledger, so that no loop waits. Thread-safe.
///
/// Does one job after another, and exists only while there are jobs.
final class WorkThread: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State {
    var jobs: [Job] = []
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
  /// - Returns: false if there are too many jobs, or the server stops.
  func run(_ job: @escaping Job) -> Bool {
    state.withLock { state in
      guard !state.isEnding, state.jobs.count < Self.most else { return false }
      if !state.isRunning {
        guard let thread = LoopThread({ [self] in work() }) else { return false }
        thread.detach()
        state.isRunning = true
      }
      state.jobs.append(job)
      return true
    }
  }

  /// Drops the jobs that have not begun.
  func end() {
    let isRunning = state.withLock { state in
      state.isEnding = true
      state.jobs = []
      return state.isRunning
    }
    if !isRunning { ended.post(()) }
  }

  private func work() {
    while true {
      let (job, isEnding) = state.withLock { state -> (Job?, Bool) in
        if state.jobs.isEmpty { state.isRunning = false }
        return (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isEnding)
      }
      guard let job else {
        if isEnding { ended.post(()) }
        return
      }
      job()
    }
  }
}
