import Timeline
import Transport

/// Rings on the main loop when something of the world falls due; it lives there. Nothing turns while nothing is due.
final class DueTimer {
  private let main: MainLoop
  private let ring: () -> Void
  private let requests = Mailbox<Instant>()
  private var reader: MailboxReader<Instant>?
  private var timer: LoopTimer?

  /// A timer sleeps through a machine that sleeps, and does not see its clock being set.
  private static let longest: Duration = .seconds(60)

  init(on main: MainLoop, _ ring: @escaping () -> Void) {
    self.main = main
    self.ring = ring
    reader = MailboxReader(requests, on: main.base) { [unowned self] in set($0) }
  }

  deinit {
    // While the loop is there: the last reference to it may be ours.
    timer?.cancel()
    reader = nil
  }

  /// Asks for a ring at a time of the machine's clock, in place of the one before; from any thread.
  var alarm: @Sendable (Instant) -> Void { { [requests] due in requests.post(due) } }

  private func set(_ due: Instant) {
    timer?.cancel()
    // A microsecond more, for a timer counts whole ones: it must not ring too early.
    let wait = SystemClock.now.duration(to: due) + .microseconds(1)
    timer = main.after(min(max(wait, .zero), Self.longest)) { [unowned self] in
      timer = nil
      ring()
    }
  }
}
