import CLibevent
import Timeline

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What must be true of the process before its first loop.
enum Libevent {
  /// Locks for events that other threads activate; and a write to a closed socket is an error, not a signal.
  private static let prepared: Bool = {
    signal(SIGPIPE, SIG_IGN)
    return evthread_use_pthreads() == 0
  }()

  /// - Parameter isPrecise: whether timers fire to the microsecond (timerfd) and not to the tick of the coarse clock,
  ///   up to 4 ms. Each turn of the loop takes a system call more.
  static func makeBase(isPrecise: Bool = false) -> OpaquePointer {
    precondition(prepared, "libevent knows POSIX threads")
    let settings = event_config_new()
    defer { if let settings { event_config_free(settings) } }
    if isPrecise, let settings { event_config_set_flag(settings, Int32(EVENT_BASE_FLAG_PRECISE_TIMER.rawValue)) }
    guard let base = settings.flatMap({ event_base_new_with_config($0) }) else {
      preconditionFailure("libevent makes a base unless files are out")
    }
    return base
  }

  /// Nanoseconds of the steady clock: for timeouts only, never for what a push means.
  static var steadyNanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension timeval {
  /// At least a microsecond: zero means "no timeout" to some and "at once" to others.
  init(_ duration: Duration) {
    let microseconds = max(duration.wholeNanoseconds / 1000, 1)
    self.init()
    tv_sec = .init(microseconds / 1_000_000)
    tv_usec = .init(microseconds % 1_000_000)
  }
}
