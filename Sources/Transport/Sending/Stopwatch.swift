/// Adds up the times during which something is the case.
struct Stopwatch {
  private var since: Int64?
  private var sum: Int64 = 0

  mutating func set(_ isRunning: Bool, at now: Int64) {
    if let since { sum += now - since }
    since = isRunning ? now : nil
  }

  /// Nanoseconds up to now.
  func total(at now: Int64) -> Int64 { sum + (since.map { now - $0 } ?? 0) }
}
