/// Counts of whole numbers in buckets that become wider as the numbers grow, as in HdrHistogram (G. Tene): every power
/// of two has 128 buckets.
///
/// A number is read back as the largest of its bucket: never too low, and at most 1/128 (0.8 %) too high. Numbers below
/// 256 are exact. At most 7,424 buckets, 58 KB.
package struct Histogram: Hashable, Sendable {
  private static let bits = 7
  private static let half = 1 << bits

  /// Up to the last bucket in use.
  private var counts: [UInt64] = []
  package private(set) var count: UInt64 = 0
  /// Exact; nil without any number.
  package private(set) var least: UInt64?
  package private(set) var greatest: UInt64?
  private var sum = 0.0

  package init() {}

  package var isEmpty: Bool { count == 0 }
  package var mean: Double { count == 0 ? 0 : sum / Double(count) }

  package mutating func add(_ number: UInt64) {
    let place = Self.place(of: number)
    if place >= counts.count { counts += Array(repeating: 0, count: place + 1 - counts.count) }
    counts[place] += 1
    count += 1
    sum += Double(number)
    least = min(least ?? number, number)
    greatest = max(greatest ?? number, number)
  }

  /// Adds all numbers of another histogram.
  package mutating func add(_ other: Histogram) {
    if other.counts.count > counts.count {
      counts += Array(repeating: 0, count: other.counts.count - counts.count)
    }
    for (place, number) in other.counts.enumerated() { counts[place] += number }
    count += other.count
    sum += other.sum
    least = [least, other.least].compactMap(\.self).min()
    greatest = [greatest, other.greatest].compactMap(\.self).max()
  }

  /// The smallest number that this share of all numbers does not exceed; nil without any number.
  ///
  /// - Parameter share: from 0 to 1.
  package func number(at share: Double) -> UInt64? {
    guard let least, let greatest else { return nil }
    let rank = max(1, UInt64((share * Double(count)).rounded(.up)))
    var seen: UInt64 = 0
    for (place, count) in counts.enumerated() where count > 0 {
      seen += count
      if seen >= rank { return max(least, min(greatest, Self.largest(in: place))) }
    }
    return greatest
  }

  /// The count of numbers in each bucket that has any, with the largest number of the bucket.
  package var buckets: [(upTo: UInt64, count: UInt64)] {
    counts.indices.compactMap { counts[$0] > 0 ? (Self.largest(in: $0), counts[$0]) : nil }
  }

  private static func place(of number: UInt64) -> Int {
    guard number >= UInt64(half) else { return Int(number) }
    let shift = 63 - number.leadingZeroBitCount - bits
    return (shift + 1) * half + Int(number >> UInt64(shift)) - half
  }

  private static func largest(in place: Int) -> UInt64 {
    guard place >= half else { return UInt64(place) }
    let shift = UInt64(place / half - 1)
    // The bound of the last bucket is 2^64, which wraps to 0.
    return (UInt64(half + place % half + 1) << shift) &- 1
  }
}
