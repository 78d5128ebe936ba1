/// Seeded chance: every draw is a pure function of the seed, a stream name, a subject and a count.
///
/// A draw does not depend on draws made elsewhere, so the same pushes meet the same fate in any interleaving.
/// `SystemRandomNumberGenerator`, `.random(in:)` and `.shuffled()` are banned in the core targets: their algorithms may
/// change between releases of Swift.
package struct Chance: Hashable, Sendable {
  private let hash: KeyedHash

  package init(seed: UInt64) { hash = KeyedHash(seed, 0x5075_7368_7069_7421) }

  private init(hash: KeyedHash) { self.hash = hash }

  /// An independent stream for one purpose.
  package func stream(for name: String) -> Chance { Chance(hash: hash.derived(for: name)) }

  /// Draw number `count` for the subject `subject`: 64 uniformly distributed bits.
  package func bits(_ subject: UInt64, _ count: UInt64 = 0) -> UInt64 { hash.firstHalf(subject, count) }

  /// 128 uniformly distributed bits.
  package func wideBits(_ subject: UInt64, _ count: UInt64 = 0) -> (UInt64, UInt64) { hash.hash(subject, count) }

  /// A uniformly distributed integer below `bound` (Lemire's multiplication; the bias is below 2^-40 for the bounds
  /// used here).
  package func below(_ bound: UInt64, subject: UInt64, count: UInt64 = 0) -> UInt64 {
    bits(subject, count).multipliedFullWidth(by: bound).high
  }

  /// True if a draw with these odds succeeds.
  package func strikes(_ odds: Odds, subject: UInt64, count: UInt64 = 0) -> Bool {
    // A certain outcome needs no draw.
    if odds.numerator == 0 { return false }
    return odds.numerator == odds.denominator
      || below(odds.denominator, subject: subject, count: count) < odds.numerator
  }

  /// A uniformly distributed duration from `range`, with a resolution of a nanosecond.
  package func duration(in range: ClosedRange<Duration>, subject: UInt64, count: UInt64 = 0) -> Duration {
    let low = range.lowerBound.wholeNanoseconds
    // A range from the past into the future may be wider than 63 bits.
    let width = UInt64(bitPattern: range.upperBound.wholeNanoseconds &- low)
    guard width < .max else { return range.lowerBound }
    return .nanoseconds(low &+ Int64(bitPattern: below(width + 1, subject: subject, count: count)))
  }
}

/// A probability as an exact fraction, which a binary floating-point number such as 0.1 is not.
package struct Odds: Hashable, Sendable {
  package let numerator: UInt64
  package let denominator: UInt64

  /// - Precondition: `denominator` is positive and `numerator` is at most `denominator`.
  package init(_ numerator: UInt64, in denominator: UInt64) {
    precondition(denominator > 0 && numerator <= denominator, "odds lie between 0 and 1")
    self.numerator = numerator
    self.denominator = denominator
  }

  /// True if a draw made elsewhere succeeds; only its low 32 bits are used.
  ///
  /// - Precondition: the denominator is below 2^32.
  package func strikes(low bits: UInt64) -> Bool { ((bits & 0xFFFF_FFFF) * denominator) >> 32 < numerator }

  package static let never = Odds(0, in: 1)
  package static let always = Odds(1, in: 1)
}
