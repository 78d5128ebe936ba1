/// Counts durations in buckets whose width grows with the duration, so that percentiles of millions of them need at most
/// 32 KiB. The layout is that of HdrHistogram (https://hdrhistogram.org): each power of two has 64 buckets, so a
/// percentile is at most 1/64 too large; below 128 ns it is exact.
package struct DurationHistogram: Hashable, Sendable {
  /// Index of a bucket as a function of nanoseconds: `bucketBits` below the highest bit are kept.
  private static let bucketBits = 6
  /// Nanoseconds; about 78 hours. Longer durations are counted in the last bucket.
  private static let ceiling: Int64 = 1 << 48

  /// Only as long as the longest duration needs.
  private var counts: [UInt64] = []
  package private(set) var count: UInt64 = 0
  private var sum = 0.0
  private var least = Int64.max
  private var most = Int64.min

  package init() {}

  package var isEmpty: Bool { count == 0 }
  /// The exact shortest and longest duration; zero if there is none.
  package var shortest: Duration { .nanoseconds(isEmpty ? 0 : least) }
  package var longest: Duration { .nanoseconds(isEmpty ? 0 : most) }
  package var mean: Duration { .nanoseconds(isEmpty ? 0 : Int64(sum / Double(count))) }

  package mutating func record(_ duration: Duration) { record(nanoseconds: duration.wholeNanoseconds) }

  /// A negative duration, as a clock that is set back makes it, counts as zero.
  package mutating func record(nanoseconds: Int64) {
    let value = min(max(nanoseconds, 0), Self.ceiling)
    let index = Self.index(of: value)
    if index >= counts.count { counts += Array(repeating: 0, count: index + 1 - counts.count) }
    counts[index] += 1
    count += 1
    sum += Double(value)
    least = min(least, value)
    most = max(most, value)
  }

  /// Adds what another histogram has counted.
  package mutating func add(_ other: DurationHistogram) {
    if other.counts.count > counts.count {
      counts += Array(repeating: 0, count: other.counts.count - counts.count)
    }
    for (index, number) in other.counts.enumerated() { counts[index] += number }
    count += other.count
    sum += other.sum
    least = min(least, other.least)
    most = max(most, other.most)
  }

  /// The duration within which a share of all durations lies, such as 0.99; zero if there is none.
  package func percentile(_ share: Double) -> Duration {
    guard !isEmpty else { return .zero }
    let wanted = UInt64(max(1, (min(max(share, 0), 1) * Double(count)).rounded(.up)))
    var passed: UInt64 = 0
    for (index, number) in counts.enumerated() {
      passed += number
      if passed >= wanted { return .nanoseconds(min(max(Self.highest(in: index), least), most)) }
    }
    return longest
  }

  /// The buckets that have counted something, shortest first.
  package var buckets: [(upTo: Duration, count: UInt64)] {
    counts.enumerated().compactMap { index, number in
      number == 0 ? nil : (.nanoseconds(Self.highest(in: index)), number)
    }
  }

  private static func index(of value: Int64) -> Int {
    let bits = Int64.bitWidth - value.leadingZeroBitCount
    let shift = max(bits - 1 - bucketBits, 0)
    return shift << bucketBits + Int(value >> Int64(shift))
  }

  /// The longest duration that is counted in a bucket.
  private static func highest(in index: Int) -> Int64 {
    let shift = max(index >> bucketBits - 1, 0)
    let place = Int64(index - shift << bucketBits)
    return (place + 1) << Int64(shift) - 1
  }
}
