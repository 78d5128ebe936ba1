import Synchronization
import WireFormats

/// The end of a call, which resumes its task: an answer, a failure or the task's cancellation, whichever is first.
final class CallEnd: Sendable {
  typealias Value = Result<HTTPResponse, AdminDoorFailure>
  typealias Outcome = Result<Value, any Error>
  typealias Waiting = CheckedContinuation<Value, any Error>

  private enum State: Sendable {
    case begun
    case awaited(Waiting)
    case over(Outcome)
  }

  private let state = Mutex(State.begun)

  func come(_ outcome: Outcome) {
    let waiting = state.withLock { state -> Waiting? in
      switch state {
      case .begun:
        state = .over(outcome)
        return nil
      case .awaited(let waiting):
        state = .over(outcome)
        return waiting
      case .over: return nil
      }
    }
    waiting?.resume(with: outcome)
  }

  func resume(_ waiting: Waiting) {
    let outcome = state.withLock { state -> Outcome? in
      if case .over(let outcome) = state { return outcome }
      state = .awaited(waiting)
      return nil
    }
    if let outcome { waiting.resume(with: outcome) }
  }
}
