/// Seeded chance: every draw is a pure function of the seed, a name, and that name's own count.
///
/// No draw depends on how many others came before it elsewhere, so the same pushes meet the same fate in any
/// interleaving. `SystemRandomNumberGenerator`, `.random(in:)` and `.shuffled()` are banned below the shell: their
/// algorithms may change between releases of Swift.
package struct Chance: Hashable, Sendable {
  private let hash: KeyedHash

  package init(seed: UInt64) { hash = KeyedHash(seed, 0x5075_7368_7069_7421) }

  private init(hash: KeyedHash) { self.hash = hash }

  /// An independent source for one rule or habit.
  package func stream(for name: String) -> Chance { Chance(hash: hash.derived(for: name)) }

  /// The draw number `count` of the thing numbered `subject`: 64 even bits.
  package func bits(_ subject: UInt64, _ count: UInt64 = 0) -> UInt64 { hash.hash(subject, count).0 }

  /// 128 even bits.
  package func wideBits(_ subject: UInt64, _ count: UInt64 = 0) -> (UInt64, UInt64) { hash.hash(subject, count) }

  /// A whole number below `bound`, evenly drawn (Lemire's multiplication; the bias is below 2^-40 for the bounds
  /// used here).
  package func below(_ bound: UInt64, _ subject: UInt64, _ count: UInt64 = 0) -> UInt64 {
    bits(subject, count).multipliedFullWidth(by: bound).high
  }

  /// Whether a draw with these odds strikes.
  package func strikes(_ odds: Odds, _ subject: UInt64, _ count: UInt64 = 0) -> Bool {
    // What is certain needs no draw.
    if odds.numerator == 0 { return false }
    return odds.numerator == odds.denominator || below(odds.denominator, subject, count) < odds.numerator
  }

  /// A duration from `range`, evenly drawn to the nanosecond.
  package func duration(in range: ClosedRange<Duration>, _ subject: UInt64, _ count: UInt64 = 0) -> Duration {
    let low = range.lowerBound.wholeNanoseconds
    // A range from the past into the future may be wider than 63 bits.
    let width = UInt64(bitPattern: range.upperBound.wholeNanoseconds &- low)
    guard width < .max else { return range.lowerBound }
    return .nanoseconds(low &+ Int64(bitPattern: below(width + 1, subject, count)))
  }
}

/// A probability as a fraction, so that nobody has to ask what 0.1 is in binary.
package struct Odds: Hashable, Sendable {
  package let numerator: UInt64
  package let denominator: UInt64

  /// - Precondition: `denominator` is positive and `numerator` is at most that.
  package init(_ numerator: UInt64, in denominator: UInt64) {
    precondition(denominator > 0 && numerator <= denominator, "odds lie between 0 and 1")
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Whether they strike for a number drawn elsewhere, of which the low 32 bits count.
  ///
  /// - Precondition: the denominator is below 2^32.
  package func strikes(low bits: UInt64) -> Bool { ((bits & 0xFFFF_FFFF) * denominator) >> 32 < numerator }

  package static let never = Odds(0, in: 1)
  package static let always = Odds(1, in: 1)
}
