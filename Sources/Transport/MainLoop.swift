import CLibevent
import Timeline

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The loop of the main thread: listeners, signals, timers, the admin server.
///
/// It belongs to the thread that created it; only its `poster` is passed to other threads.
package final class MainLoop {
  /// libevent's `event_base`, for code that uses it directly.
  package let base: OpaquePointer
  /// Runs closures on this loop; from any thread.
  package let poster: MainLoopPoster

  private var reader: MailboxReader<@Sendable () -> Void>?
  private var signals: [LoopEvent] = []
  private var timers: [ObjectIdentifier: LoopTimer] = [:]

  package init() {
    base = Libevent.makeBase(isPrecise: true)
    let jobs = Mailbox<@Sendable () -> Void>()
    poster = MainLoopPoster(jobs: jobs)
    reader = MailboxReader(jobs, on: base) { job in job() }
  }

  deinit {
    reader = nil
    signals = []
    timers = [:]
    event_base_free(base)
  }

  /// Runs until `stop` is called.
  package func run() { event_base_loop(base, EVLOOP_NO_EXIT_ON_EMPTY) }

  /// Ends `run` after the current callback.
  package func stop() { event_base_loopbreak(base) }

  /// True if the process ignores a signal, for example because nohup started it.
  package static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    sigaction(signal, nil, &action)
    #if canImport(Glibc)
      let handler = action.__sigaction_handler.sa_handler
    #else
      let handler = action.__sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Calls `body` each time the process receives the signal, as long as the loop exists.
  package func onSignal(_ signal: Int32, _ body: @escaping () -> Void) {
    let event = LoopEvent(on: base, descriptor: signal, events: EV_SIGNAL | EV_PERSIST, body)
    event.add()
    signals.append(event)
  }

  /// Calls `body` once, unless the timer is cancelled first.
  @discardableResult
  package func after(_ delay: Duration, _ body: @escaping () -> Void) -> LoopTimer {
    start(LoopTimer(delay, repeats: false, body))
  }

  /// Calls `body` repeatedly until the timer is cancelled.
  @discardableResult
  package func every(_ period: Duration, _ body: @escaping () -> Void) -> LoopTimer {
    start(LoopTimer(period, repeats: true, body))
  }

  private func start(_ timer: LoopTimer) -> LoopTimer {
    let name = ObjectIdentifier(timer)
    timers[name] = timer
    timer.start(on: base) { [unowned self] in timers[name] = nil }
    return timer
  }
}

/// Posts closures to the main loop, from any thread.
package struct MainLoopPoster: Sendable {
  let jobs: Mailbox<@Sendable () -> Void>

  /// - Returns: false if the loop has ended.
  @discardableResult
  package func post(_ job: @escaping @Sendable () -> Void) -> Bool { jobs.post(job) }
}
