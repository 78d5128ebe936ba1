import Testing
import Timeline

@Suite("A histogram of durations")
struct DurationHistogramTests {
  private static let shares = [0.0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0]

  /// From nanoseconds to hours, with many short ones.
  private static func durations(_ count: Int) -> [Int64] {
    let chance = Chance(seed: 3)
    return (0..<UInt64(count)).map { number in
      Int64(chance.bits(number) >> (16 + chance.below(48, number, 1)))
    }
  }

  private static func histogram(_ durations: some Sequence<Int64>) -> DurationHistogram {
    var histogram = DurationHistogram()
    for duration in durations { histogram.record(nanoseconds: duration) }
    return histogram
  }

  @Test("gives percentiles that are never too small, and at most 1/64 too large")
  func percentiles() {
    let durations = Self.durations(20_000)
    let histogram = Self.histogram(durations)
    let sorted = durations.sorted()
    for share in Self.shares {
      let exact = sorted[max(Int((share * Double(sorted.count)).rounded(.up)), 1) - 1]
      let found = histogram.percentile(share).wholeNanoseconds
      #expect(found >= exact && found <= exact + exact / 64, "\(share): \(found) for \(exact)")
    }
    #expect(histogram.count == 20_000)
    #expect(histogram.shortest == .nanoseconds(sorted[0]) && histogram.longest == .nanoseconds(sorted[19_999]))
  }

  @Test("is exact below 128 ns, and in its shortest, longest and mean duration")
  func exact() {
    let histogram = Self.histogram(1...100)
    #expect(histogram.percentile(0.5) == .nanoseconds(50) && histogram.percentile(0.99) == .nanoseconds(99))
    #expect(histogram.mean == .nanoseconds(50))
    #expect(Self.histogram([1_000_003]).percentile(0.5) == .nanoseconds(1_000_003))
  }

  @Test("added to another equals one that has counted both")
  func adding() {
    let durations = Self.durations(1000)
    var sum = Self.histogram(durations.prefix(10))
    sum.add(Self.histogram(durations.dropFirst(10)))
    let whole = Self.histogram(durations)
    for share in Self.shares { #expect(sum.percentile(share) == whole.percentile(share)) }
    #expect(sum.count == whole.count && sum.buckets.map(\.count) == whole.buckets.map(\.count))
    sum.add(DurationHistogram())
    #expect(sum.shortest == whole.shortest && sum.longest == whole.longest)
  }

  @Test("without a duration says zero")
  func empty() {
    let histogram = DurationHistogram()
    #expect(histogram.percentile(0.5) == .zero && histogram.longest == .zero && histogram.mean == .zero)
    #expect(histogram.buckets.isEmpty)
  }

  @Test("takes any duration: negative ones as zero, endless ones in the last bucket")
  func extremes() {
    let histogram = Self.histogram([.min, -1, .max])
    #expect(histogram.shortest == .zero && histogram.percentile(0.5) == .zero)
    #expect(histogram.longest == .nanoseconds(1 << 48) && histogram.buckets.count == 2)
  }
}
