import Admin
import Simulation
import Synchronization
import Timeline
import Transport
import WireFormats

/// Evaluates expectations for one client: a long evaluation on the thread of queries, and those about the ledger again
/// and again while the client waits for them to be met.
///
/// Looked after on the main loop.
final class LedgerWaiter: Sendable {
  private enum State {
    /// An evaluation is being continued.
    case working(Seat?)
    /// The next evaluation is due.
    case waiting(LedgerWait, Seat)
    case over
  }

  private static let period: Duration = .milliseconds(50)

  private let reply: PlainReply
  private let handler: AdminHandler
  private let began = SystemClock.steadyNanoseconds
  private let state = Mutex(State.working(nil))

  init(_ reply: PlainReply, _ handler: AdminHandler) {
    self.reply = reply
    self.handler = handler
  }

  /// Goes on from the first answer. The loop keeps it until it has answered, or its client has gone.
  func begin(with answer: AdminResponse, on main: MainLoop) {
    take(answer)
    lookAgain(on: main)
  }

  private func lookAgain(on main: MainLoop) {
    main.after(Self.period) { [unowned main] in
      if self.look() { self.lookAgain(on: main) }
    }
  }

  /// - Returns: whether the client still waits.
  private func look() -> Bool {
    guard reply.isAwaited else {
      state.withLock { $0 = .over }
      return false
    }
    let (wait, isOver) = state.withLock { state -> (LedgerWait?, Bool) in
      switch state {
      case .working: return (nil, false)
      case .over: return (nil, true)
      case .waiting(let wait, let seat):
        state = .working(seat)
        return (wait, false)
      }
    }
    if let wait {
      let within = UInt64(clamping: wait.within.wholeNanoseconds)
      let isLast = SystemClock.steadyNanoseconds - began >= within
      take(handler.service.verify(wait, isLast: isLast, looking: handler.gateway.look, holding: handler.hold))
    }
    return !isOver
  }

  /// Goes on with an evaluation, or answers, or waits for the next one.
  private func take(_ answer: AdminResponse) {
    if let rest = answer.rest {
      // Other evaluations have their turn in between.
      let isTaken = handler.queries.run { [self] in
        if reply.isAwaited { take(rest(handler.gateway.look, handler.hold)) } else { state.withLock { $0 = .over } }
      } isDropped: { [self] in
        end(AdminHandler.response(.stopping))
      }
      return isTaken ? () : end(AdminHandler.refusal(by: handler.queries))
    }
    guard let wait = answer.waits else { return end(AdminHandler.response(answer)) }
    let isSeated = state.withLock { state in
      guard case .working(let seat) = state, let seat = seat ?? handler.waiters.take() else { return false }
      state = .waiting(wait, seat)
      return true
    }
    if !isSeated { end(AdminHandler.response(.tooManyWaiting(handler.waiters.most))) }
  }

  private func end(_ response: HTTPResponse) {
    state.withLock { $0 = .over }
    reply.send(response)
  }
}
