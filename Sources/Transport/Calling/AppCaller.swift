import Synchronization

/// Makes the calls of virtual apps to their backends: HTTP/1.1 on a separate thread, with persistent connections.
///
/// Requests are never repeated, redirects are not followed, no proxy, cookie or password file is used, and hosts beyond
/// this machine are called only if the options name them.
package final class AppCaller: Sendable {
  private let limiter: CallLimiter
  private let thread: LoopThread
  private let finished: @Sendable ([AppCallEnd]) -> Void
  private let isJoined = Mutex(false)

  /// - Parameter finished: receives ended calls in the order of their end, in batches, on the caller's own thread. It
  ///   may start, cancel and stop.
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
      // The last reference may be released in `finished`.
      if thread.isCurrent { thread.detach() } else { thread.join() }
    }
  }

  /// Starts calls, from any thread. Calls beyond the queue's capacity end as `queueFull`. After `stop` they end as
  /// cancelled before this returns.
  package func start(_ calls: [AppCall]) {
    let ends = submit(calls)
    if !ends.isEmpty { finished(ends) }
  }

  /// Starts calls for a caller that holds a lock: returns calls that end at once, and does not pass them to `finished`.
  package func submit(_ calls: [AppCall]) -> [AppCallEnd] {
    guard !limiter.enter(calls, at: Libevent.steadyNanoseconds) else { return [] }
    return calls.map { call in
      let failure = AppCall.Failure(.cancelled, "\(call.url): the caller was stopped; nothing was sent")
      return AppCallEnd(number: call.number, result: .failure(failure), took: .zero)
    }
  }

  /// Ends calls, from any thread. Calls that have already ended are ignored.
  package func cancel(_ numbers: [UInt64]) { limiter.cancel(numbers) }

  /// Cancels open calls, from any thread. When it returns, the thread has ended and every call was reported, unless
  /// `finished` itself called it: then both happen soon.
  package func stop() {
    limiter.close()
    if thread.isCurrent { return }
    isJoined.withLock { isJoined in
      if !isJoined { thread.join() }
      isJoined = true
    }
  }
}
