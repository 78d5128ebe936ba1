import Admin
import Simulation
import Timeline
import Transport

/// Checks repeatedly whether expectations about the ledger are met, for one client that waits. Used on the main loop.
final class LedgerWaiter {
  private static let period: Duration = .milliseconds(50)

  private var wait: LedgerWait
  private let reply: PlainReply
  private let handler: AdminHandler
  /// Released with the waiter.
  private let seat: Seat
  private let deadline: UInt64

  init(_ wait: LedgerWait, _ reply: PlainReply, _ handler: AdminHandler, _ seat: Seat) {
    self.wait = wait
    self.reply = reply
    self.handler = handler
    self.seat = seat
    deadline = SystemClock.steadyNanoseconds + UInt64(clamping: wait.within.wholeNanoseconds)
  }

  /// The loop keeps it until it has answered, or its client has gone.
  func begin(on main: MainLoop) {
    main.after(Self.period) { [unowned main] in
      if self.look() { self.begin(on: main) }
    }
  }

  /// - Returns: whether the client still waits.
  private func look() -> Bool {
    guard reply.isAwaited else { return false }
    let isLast = SystemClock.steadyNanoseconds >= deadline
    let answer = handler.service.verify(wait, isLast: isLast, looking: handler.gateway.look, holding: handler.hold)
    guard let further = answer.waits else {
      reply.send(AdminHandler.response(answer))
      return false
    }
    wait = further
    return true
  }
}
