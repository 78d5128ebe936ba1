import CLibevent

/// The intentional faults of one connection. Only connections with a fault have this.
final class ConnectionFaults {
  /// How much a slow connection may read at a time, and how often.
  struct Pace {
    let count: Int
    let interval: Duration

    /// Every tenth of a second if the rate allows it, otherwise one byte at a time.
    init(bytesPerSecond: Int) {
      let rate = max(bytesPerSecond, 1)
      count = max(rate / 10, 1)
      interval = rate >= 10 ? .milliseconds(100) : .seconds(1) / rate
    }
  }

  /// How the write side is shut: with TLS close_notify, or as if the program had died.
  enum HalfClose {
    case withGoodbye
    case withoutGoodbye
  }

  /// For a frozen connection: whether PINGs are still answered.
  var answersPings = false
  /// For a completely frozen connection: fires when data arrives, once each time.
  var watch: LoopEvent?
  /// Frames that a frozen connection has not written.
  var held: [UInt8] = []

  var pace: Pace?
  /// The current pause between two slow reads.
  var rest: LoopEvent?
  /// Pauses between pieces of split answers, by stream.
  var pauses: [Int32: LoopEvent] = [:]
  var halfClose: HalfClose?

  var refusesHandshake = false
  /// The delay of a slow handshake.
  var delay: LoopEvent?
}
