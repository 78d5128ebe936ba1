import Timeline
import Transport

/// Fires on the main loop when work of the world is due; used only there. Idle while nothing is due.
final class DueTimer {
  private let main: MainLoop
  private let ring: () -> Void
  private let requests = Mailbox<Instant>()
  private var reader: MailboxReader<Instant>?
  private var timer: LoopTimer?

  /// A timer also pauses while the machine sleeps, and does not notice changes of its clock.
  private static let longest: Duration = .seconds(60)

  init(on main: MainLoop, _ ring: @escaping () -> Void) {
    self.main = main
    self.ring = ring
    reader = MailboxReader(requests, on: main.base) { [unowned self] in set($0) }
  }

  deinit {
    // Done while the loop exists, because this object may hold the last reference to it.
    timer?.cancel()
    reader = nil
  }

  /// Schedules the alarm at a time of the machine's clock, replacing the previous one; from any thread.
  var alarm: @Sendable (Instant) -> Void { { [requests] due in requests.post(due) } }

  private func set(_ due: Instant) {
    timer?.cancel()
    // A microsecond more, because timers count whole ones and must not fire too early.
    let wait = SystemClock.now.duration(to: due) + .microseconds(1)
    timer = main.after(min(max(wait, .zero), Self.longest)) { [unowned self] in
      timer = nil
      ring()
    }
  }
}
