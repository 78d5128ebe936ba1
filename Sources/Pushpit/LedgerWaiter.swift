import Admin
import Simulation
import Timeline
import Transport

/// Checks repeatedly whether expectations about the ledger are met, for one client that waits. Used on the main loop.
final class LedgerWaiter {
  private static let period: Duration = .milliseconds(50)

  private var wait: LedgerWait
  private let reply: PlainReply
  private let service: AdminService
  private let gateway: Gateway
  private let deadline: UInt64

  init(_ wait: LedgerWait, _ reply: PlainReply, _ service: AdminService, _ gateway: Gateway) {
    self.wait = wait
    self.reply = reply
    self.service = service
    self.gateway = gateway
    deadline = SystemClock.steadyNanoseconds + UInt64(clamping: wait.within.wholeNanoseconds)
  }

  /// The loop keeps it until it has answered.
  func begin(on main: MainLoop) {
    main.after(Self.period) { [unowned main] in
      if self.look() { self.begin(on: main) }
    }
  }

  /// - Returns: whether the client still waits.
  private func look() -> Bool {
    let isLast = SystemClock.steadyNanoseconds >= deadline
    let answer = service.verify(wait, isLast: isLast) { body in
      gateway.work { simulator, wall in ((), body(&simulator, wall)) }
    }
    guard let further = answer.waits else {
      reply.send(AdminHandler.response(answer))
      return false
    }
    wait = further
    return true
  }
}
