import CLibevent

/// The fault of a client that is read slowly: bytes in portions, with a rest after each.
final class SlowReading {
  /// Bytes read at a time.
  let portion: Int
  private let interval: Duration
  private var rest: LoopEvent?

  /// Every tenth of a second if the rate allows it, otherwise one byte at a time.
  init(bytesPerSecond: Int) {
    let rate = max(bytesPerSecond, 1)
    portion = max(rate / 10, 1)
    interval = rate >= 10 ? .milliseconds(100) : .seconds(1) / rate
  }

  var isResting: Bool { rest != nil }

  /// Begins a rest; `then` is called at its end.
  func rest(on base: OpaquePointer, then: @escaping () -> Void) {
    let event = LoopEvent(on: base) { [unowned self] in
      rest = nil
      then()
    }
    event.add(timeout: interval)
    rest = event
  }
}
