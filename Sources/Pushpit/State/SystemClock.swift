import Timeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The only place that reads the clock.
package enum SystemClock {
  package static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return instant(time)
  }

  /// Clamped to the range of an instant: a machine's clock can be set to any time.
  static func instant(_ time: timespec) -> Instant {
    Instant(seconds: Int64(time.tv_sec)).advanced(nanoseconds: Int64(time.tv_nsec))
  }

  /// Processor time used by this thread.
  static var threadNanoseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Nanoseconds of a clock that never goes back.
  static var steadyNanoseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
