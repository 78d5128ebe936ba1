/// Detects the first of a burst: occurrences less than a second apart belong to one burst.
struct BurstDetector {
  /// Nanoseconds.
  private static let gap: Int64 = 1_000_000_000

  /// Steady nanoseconds.
  private var last: Int64?

  /// Records an occurrence, and returns whether it is the first of its burst.
  mutating func begins(at now: Int64 = Libevent.steadyNanoseconds) -> Bool {
    defer { last = now }
    return last.map { now - $0 >= Self.gap } ?? true
  }
}
