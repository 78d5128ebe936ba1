import Synchronization
import Transport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Notes a signal that arrives between two plays of a command, while no server watches signals. The server of a play
/// takes the handlers over, and its end restores these.
enum SignalNote {
  private static let noted = Atomic<Bool>(false)
  private static let handlers: Void = {
    // A signal that nohup has ignored stays ignored.
    for number in [SIGTERM, SIGINT, SIGHUP] where !MainLoop.isIgnored(number) {
      signal(number) { _ in
        // A second signal ends the process at once, as one during a play does.
        if SignalNote.noted.exchange(true, ordering: .relaxed) { _exit(130) }
      }
    }
  }()

  static func note() { noted.store(true, ordering: .relaxed) }

  static var isNoted: Bool { noted.load(ordering: .relaxed) }

  /// Notes signals from now on. Called before each play; only the first call has an effect.
  static func watch() {
    // A handler must not be the first to use it, which would allocate.
    _ = isNoted
    handlers
  }
}
