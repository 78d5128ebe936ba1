import Synchronization
import Transport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Notes a signal to a command that plays. A play looks for it all the time, and so does the command between two plays:
/// handlers that each play sets and removes would miss a signal that comes just then.
enum SignalNote {
  private static let noted = Atomic<Bool>(false)
  private static let handlers: Void = {
    // A signal that nohup has ignored stays ignored.
    for number in [SIGTERM, SIGINT, SIGHUP] where number != SIGHUP || !MainLoop.isIgnored(number) {
      signal(number) { _ in
        // A second signal ends the process at once.
        if SignalNote.noted.exchange(true, ordering: .relaxed) { _exit(130) }
      }
    }
  }()

  static var isNoted: Bool { noted.load(ordering: .relaxed) }

  /// Notes signals from now on. Called before each play; only the first call has an effect.
  static func watch() {
    // A handler must not be the first to use it, which would allocate.
    _ = isNoted
    handlers
  }
}
