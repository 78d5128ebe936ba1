import Synchronization

/// Makes the calls of virtual apps to their backends: HTTP/1.1 on a thread of its own, over connections that are kept
/// and used again.
///
/// Nothing is sent twice, no redirect is followed, no proxy, cookie or password file is used, and nobody beyond this
/// machine is called unless named in the options.
package final class AppCaller: Sendable {
  private let limiter: CallLimiter
  private let thread: LoopThread
  private let finished: @Sendable ([AppCallEnd]) -> Void
  private let isJoined = Mutex(false)

  /// - Parameter finished: told of ended calls in the order in which they end, some at a time, on the caller's own
  ///   thread. It may start, cancel and stop.
  package init(
    _ options: AppCallerOptions = AppCallerOptions(), finished: @escaping @Sendable ([AppCallEnd]) -> Void
  ) throws(AppCallerFailure) {
    if let complaint = options.complaint { throw AppCallerFailure(description: complaint) }
    let limiter = CallLimiter(room: options.queue + options.connections)
    let thread = LoopThread { CallingLoop(options, limiter: limiter, finished: finished).run() }
    guard let thread else { throw AppCallerFailure(description: "the system allows no thread for the calls of apps") }
    self.limiter = limiter
    self.thread = thread
    self.finished = finished
  }

  deinit {
    limiter.close()
    isJoined.withLock { isJoined in
      if isJoined { return }
      // The last reference may go in `finished`.
      if thread.isCurrent { thread.detach() } else { thread.join() }
    }
  }

  /// Begins calls; from any thread. Those for which there is no room end as `queueFull`. After `stop` they end as
  /// cancelled before this returns.
  package func start(_ calls: [AppCall]) {
    let ends = submit(calls)
    if !ends.isEmpty { finished(ends) }
  }

  /// The same for callers that hold a lock: what ends at once is not told to `finished` but returned.
  package func submit(_ calls: [AppCall]) -> [AppCallEnd] {
    guard !limiter.enter(calls, at: Libevent.steadyNanoseconds) else { return [] }
    return calls.map { call in
      let failure = AppCall.Failure(.cancelled, "\(call.url): no calls are made any more; nothing was sent")
      return AppCallEnd(number: call.number, result: .failure(failure), took: .zero)
    }
  }

  /// Ends calls; from any thread. Those that have ended already are left alone.
  package func cancel(_ numbers: [UInt64]) { limiter.cancel(numbers) }

  /// Cancels what is open; from any thread. When it returns, the thread is gone and every call has been told, unless
  /// `finished` itself called it: then both follow soon.
  package func stop() {
    limiter.close()
    if thread.isCurrent { return }
    isJoined.withLock { isJoined in
      if !isJoined { thread.join() }
      isJoined = true
    }
  }
}
