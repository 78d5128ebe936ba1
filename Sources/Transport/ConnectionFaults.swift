import CLibevent

/// What is wrong with one connection on purpose. Only a connection that was told so has one.
final class ConnectionFaults {
  /// What a connection that reads slowly may read at a time, and how often.
  struct Pace {
    let count: Int
    let interval: Duration

    /// Tenths of a second where the rate allows it, else one byte at a time.
    init(bytesPerSecond: Int) {
      let rate = max(bytesPerSecond, 1)
      count = max(rate / 10, 1)
      interval = rate >= 10 ? .milliseconds(100) : .seconds(1) / rate
    }
  }

  /// How the write side is shut: with TLS's goodbye or as if the program had died.
  enum HalfClose {
    case withGoodbye
    case withoutGoodbye
  }

  /// Of a frozen connection: PINGs are still answered.
  var answersPings = false
  /// Of a connection frozen solid: tells that something came, once each time.
  var watch: LoopEvent?
  /// Frames that a frozen connection has not written.
  var held: [UInt8] = []

  var pace: Pace?
  /// The pause between two slow reads, while there is one.
  var rest: LoopEvent?
  /// Pauses of answers that leave in pieces, by stream.
  var pauses: [Int32: LoopEvent] = [:]
  var halfClose: HalfClose?

  var refusesHandshake = false
  /// The wait before a slow handshake.
  var delay: LoopEvent?
}
