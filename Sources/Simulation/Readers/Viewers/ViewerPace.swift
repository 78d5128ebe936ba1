/// The limit on messages to a viewer: at most 20 in any second, of which at most 5 have many events.
package struct ViewerPace: Hashable, Sendable {
  package static let most = 20
  /// Nanoseconds.
  private static let second: UInt64 = 1_000_000_000
  /// Nanoseconds of silence until a comment line shows that the connection is alive.
  package static let quiet: UInt64 = 15 * second

  /// The times at which the messages of the last second were sent, in nanoseconds of a clock that never goes back.
  private var sent: [UInt64] = []
  private var last: UInt64?
  /// Nanoseconds from a message with many events to the next message. Each has up to 20 events in full, and nobody
  /// reads more than a hundred rows a second. The page, too, is drawn five times a second.
  private static let pause = second / 5
  private var pausesUntil: UInt64 = 0

  package init() {}

  /// The number of messages that may be sent now.
  package mutating func room(at now: UInt64) -> Int {
    guard now >= pausesUntil else { return 0 }
    sent.removeAll { now >= $0 + Self.second }
    return Self.most - sent.count
  }

  package mutating func send(_ count: Int, at now: UInt64) {
    guard count > 0 else { return }
    sent += Array(repeating: now, count: count)
    last = now
  }

  /// Sends one message with many events.
  package mutating func crowd(at now: UInt64) {
    send(1, at: now)
    pausesUntil = now + Self.pause
  }

  /// True if nothing was sent for so long that a comment is due; the comment counts as sent.
  package mutating func isQuiet(at now: UInt64) -> Bool {
    guard let last else {
      self.last = now
      return false
    }
    guard now >= last + Self.quiet else { return false }
    self.last = now
    return true
  }
}
