/// The times for which the lock of the simulator is held, or waited for, in nanoseconds.
package struct LockTimes: Hashable, Sendable {
  /// Upper bounds of the buckets, in seconds.
  package static let bounds = ["0.0001", "0.0005", "0.001", "0.002", "0.005", "0.01", "0.05", "0.1", "1"]
  private static let ends: [UInt64] = [
    100_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 50_000_000, 100_000_000, 1_000_000_000,
  ]

  /// By bucket; the last one counts everything above the bounds.
  package private(set) var counts = [UInt64](repeating: 0, count: ends.count + 1)
  /// Total.
  package private(set) var nanoseconds: UInt64 = 0
  package private(set) var longest: UInt64 = 0

  package init() {}

  package mutating func add(_ time: UInt64) {
    counts[Self.ends.firstIndex { time <= $0 } ?? Self.ends.count] += 1
    nanoseconds &+= time
    longest = max(longest, time)
  }
}
