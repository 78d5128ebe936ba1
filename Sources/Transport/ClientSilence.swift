/// The time since a client was last heard, in steady nanoseconds.
struct ClientSilence {
  private var began: Int64
  /// True if the client was sent a PING in this silence.
  private var isProbed = false

  init(at now: Int64) { began = now }

  mutating func ended(at now: Int64) { self = ClientSilence(at: now) }

  func duration(at now: Int64) -> Duration { .nanoseconds(now - began) }

  /// - Returns: false if the client was probed in this silence before.
  mutating func probe() -> Bool {
    defer { isProbed = true }
    return !isProbed
  }
}
