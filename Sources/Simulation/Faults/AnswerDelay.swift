import Timeline

/// How long an answer is held back.
package enum AnswerDelay: Hashable, Sendable {
  case between(ClosedRange<Duration>)
  /// Lognormal, by its median and the value that one in a hundred exceeds.
  case lognormal(median: Duration, p99: Duration)

  /// Longest that a lognormal one lasts: an hour.
  private static let longest = 3.6e12

  /// - Parameters:
  ///   - subject: what the draw is for.
  ///   - count: which of its draws.
  func draw(_ chance: Chance, _ subject: UInt64, _ count: UInt64) -> Duration {
    switch self {
    case .between(let range): return chance.duration(in: range, subject, count)
    case .lognormal(let median, let p99):
      // A normal number as a sum of twelve even ones less six (Irwin and Hall), for there is no logarithm here; in
      // 16ths of a thousandth part. 2.326 deviations are the 99th percentile.
      var sum: Int64 = -6 << 16
      for part in 0..<12 as Range<UInt64> {
        sum += Int64(chance.bits(subject ^ part << 56, count) & 0xFFFF)
      }
      let middle = max(1, Double(median.wholeNanoseconds))
      let ratio = max(1, Double(p99.wholeNanoseconds) / middle)
      // A ratio below 10^19 to the third power at the most: finite.
      let drawn = middle * Self.power(ratio, Double(sum) / 65_536 / 2.326)
      return .nanoseconds(median > .zero ? Int64(min(drawn, Self.longest)) : 0)
    }
  }

  /// `base` to the `exponent`, by squares and square roots: exact in the same way on every machine.
  private static func power(_ base: Double, _ exponent: Double) -> Double {
    var whole = exponent.magnitude.rounded(.down)
    var part = exponent.magnitude - whole
    var result = 1.0
    while whole >= 1 {
      result *= base
      whole -= 1
    }
    var root = base
    for _ in 0..<24 {
      root = root.squareRoot()
      part *= 2
      if part >= 1 {
        result *= root
        part -= 1
      }
    }
    return exponent < 0 ? 1 / result : result
  }
}
