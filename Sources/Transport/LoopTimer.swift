import CLibevent
import Timeline

/// A timer of the main loop, which keeps it until it has fired or is cancelled.
package final class LoopTimer {
  private let delay: Duration
  private let repeats: Bool
  private var body: (() -> Void)?
  private var event: LoopEvent?
  private var ended: (() -> Void)?

  init(_ delay: Duration, repeats: Bool, _ body: @escaping () -> Void) {
    self.delay = delay
    self.repeats = repeats
    self.body = body
  }

  /// `ended` is called once, when the timer will not fire again.
  func start(on base: OpaquePointer, ended: @escaping () -> Void) {
    self.ended = ended
    let event = LoopEvent(on: base, events: repeats ? EV_PERSIST : 0) { [unowned self] in fire() }
    event.add(timeout: delay)
    self.event = event
  }

  package func cancel() {
    event?.cancel()
    event = nil
    body = nil
    let last = ended
    ended = nil
    last?()
  }

  private func fire() {
    let body = body
    if !repeats { cancel() }
    body?()
  }
}
