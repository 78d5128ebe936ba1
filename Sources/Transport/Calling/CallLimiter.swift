import Synchronization

/// Counts the calls of an `AppCaller` and, once closed, accepts no more.
final class CallLimiter: Sendable {
  enum Letter: Sendable {
    /// `at` in steady nanoseconds.
    case start([AppCall], at: Int64)
    /// Calls that found the queue full.
    case refuse([(number: UInt64, url: String)])
    case cancel([UInt64])
    /// The last message.
    case stop
  }

  private struct State {
    var open = 0
    var isClosed = false
  }

  let mailbox = Mailbox<Letter>()
  private let room: Int
  private let state = Mutex(State())

  init(room: Int) { self.room = room }

  /// - Returns: false if the limiter is closed; then nothing was accepted.
  func enter(_ calls: [AppCall], at now: Int64) -> Bool {
    // Under the lock, so that no message follows the last one.
    state.withLock { state in
      guard !state.isClosed else { return false }
      let admitted = min(calls.count, room - state.open)
      state.open += admitted
      if admitted > 0 { mailbox.post(.start(Array(calls.prefix(admitted)), at: now)) }
      if admitted < calls.count {
        mailbox.post(.refuse(calls.dropFirst(admitted).map { ($0.number, $0.url) }))
      }
      return true
    }
  }

  /// The reader searches all waiting calls, so an empty list is not posted.
  func cancel(_ numbers: [UInt64]) { if !numbers.isEmpty { mailbox.post(.cancel(numbers)) } }

  func leave(_ count: Int) { state.withLock { $0.open -= count } }

  func close() {
    state.withLock { state in
      if !state.isClosed { mailbox.post(.stop) }
      state.isClosed = true
    }
  }
}
