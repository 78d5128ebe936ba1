/// The time that a client has for the handshake and its preface, in steady nanoseconds.
///
/// The preface belongs to the handshake: otherwise half a preface would last until the connection is idle for too long.
struct GreetingDeadline {
  private let limit: Duration
  private var began: Int64

  init(_ limit: Duration, from now: Int64) {
    self.limit = limit
    began = now
  }

  /// A fault that kept the server from reading, for which the client cannot be blamed, is over.
  mutating func restart(at now: Int64) { began = now }

  /// Zero or less if the time is over.
  func rest(at now: Int64) -> Duration { limit - .nanoseconds(now - began) }
}
