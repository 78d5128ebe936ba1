import CLibevent
import Timeline

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Process-wide initialization before the first loop.
enum Libevent {
  /// Enables locks for events activated by other threads, and turns a write to a closed socket into an error instead of
  /// a signal.
  private static let prepared: Bool = {
    signal(SIGPIPE, SIG_IGN)
    return evthread_use_pthreads() == 0
  }()

  /// - Parameter isPrecise: whether timers fire to the microsecond (timerfd) instead of the coarse clock's tick of up
  ///   to 4 ms. Costs one more system call per turn of the loop.
  static func makeBase(isPrecise: Bool = false) -> OpaquePointer {
    precondition(prepared, "libevent supports POSIX threads")
    let settings = event_config_new()
    defer { if let settings { event_config_free(settings) } }
    if isPrecise, let settings { event_config_set_flag(settings, Int32(EVENT_BASE_FLAG_PRECISE_TIMER.rawValue)) }
    guard let base = settings.flatMap({ event_base_new_with_config($0) }) else {
      preconditionFailure("libevent fails only without file descriptors")
    }
    return base
  }

  /// Nanoseconds of the steady clock: only for timeouts, never for the meaning of a push.
  static var steadyNanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension timeval {
  /// At least a microsecond: zero means "no timeout" to some functions and "at once" to others.
  init(_ duration: Duration) {
    let microseconds = max(duration.wholeNanoseconds / 1000, 1)
    self.init()
    tv_sec = .init(microseconds / 1_000_000)
    tv_usec = .init(microseconds % 1_000_000)
  }
}
