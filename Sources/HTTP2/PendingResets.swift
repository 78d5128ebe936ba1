/// RST_STREAM frames that nghttp2 will return, and what is to be done with each.
struct PendingResets {
  enum Decision {
    case send
    /// nghttp2 has forgotten the stream, and the client is not told.
    case swallow
    /// Too many streams have failed by mistakes of the client.
    case endConnection
  }

  private enum Cause {
    /// The caller has ordered it: no mistake of the client.
    case order
    /// The stream was dropped silently.
    case drop
  }

  /// Causes other than a mistake of the client, by stream.
  private var causes: [Int32: Cause] = [:]
  private var mistakes = MistakeLimit()

  mutating func ordered(_ stream: Int32) { causes[stream] = .order }

  mutating func dropped(_ stream: Int32) { causes[stream] = .drop }

  /// Decides about a frame that is due, and counts it if the client has caused it: too many end the connection, as too
  /// many resets by the client do.
  ///
  /// - Parameter now: steady nanoseconds.
  mutating func isDue(_ stream: Int32, _ code: ErrorCode, at now: Int64) -> Decision {
    switch causes.removeValue(forKey: stream) {
    case .drop: .swallow
    case .order: .send
    // A refused stream is no mistake: a client may not know the limit yet.
    case nil: code == .refusedStream || mistakes.allowsOne(at: now) ? .send : .endConnection
    }
  }
}
