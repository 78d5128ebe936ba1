/// The limit on streams that fail by mistakes of a client, such as a window that overflows: 1,000, then 33 per second.
///
/// nghttp2 has these numbers for streams that the client resets, and does not count those that the client makes the
/// server reset, although the work is the same.
struct MistakeLimit {
  private static let most: Int64 = 1000
  /// Nanoseconds.
  private static let interval: Int64 = 1_000_000_000 / 33

  /// Steady nanoseconds at which all mistakes so far are forgiven.
  private var forgiven: Int64 = 0

  /// Counts a mistake.
  ///
  /// - Returns: false if there were too many.
  mutating func allowsOne(at now: Int64) -> Bool {
    forgiven = max(forgiven, now) + Self.interval
    return forgiven - now <= Self.most * Self.interval
  }
}
