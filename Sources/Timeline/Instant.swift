/// A point in time, in nanoseconds since the Unix epoch.
///
/// Every rule receives the current instant as an argument; the core targets never read a clock. APNs uses whole seconds
/// (`iat`, `timestamp`, `apns-expiration`) and milliseconds (the `timestamp` of a 410 answer).
///
/// Public, because methods of a package type are not inlined in other modules (Swift 6.3).
public struct Instant: InstantProtocol, Hashable, Sendable {
  public let nanoseconds: Int64

  @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Seconds since 1970, clamped to the range of an instant (about the years 1678 to 2262).
  package init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    nanoseconds = overflow ? (seconds < 0 ? .min : .max) : product
  }

  package init(milliseconds: Int64) {
    let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    nanoseconds = overflow ? (milliseconds < 0 ? .min : .max) : product
  }

  package static let distantPast = Instant(nanoseconds: .min)
  package static let distantFuture = Instant(nanoseconds: .max)

  /// Whole seconds since 1970, rounded down.
  package var seconds: Int64 { nanoseconds.quotientRoundedDown(by: 1_000_000_000) }
  /// Whole milliseconds since 1970, rounded down.
  package var milliseconds: Int64 { nanoseconds.quotientRoundedDown(by: 1_000_000) }

  /// Returns this instant moved by a duration, clamped to the range of an instant.
  public func advanced(by duration: Duration) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    return Instant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
  }

  /// Returns this instant moved by nanoseconds, without a division, for hot paths.
  @inlinable package func advanced(nanoseconds step: Int64) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(step)
    return Instant(nanoseconds: overflow ? (step < 0 ? .min : .max) : sum)
  }

  public func duration(to other: Instant) -> Duration {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return .nanoseconds(overflow ? (other < self ? .min : .max) : difference)
  }

  // Written out because other modules call the synthesized version through a witness table.
  @inlinable public static func == (left: Instant, right: Instant) -> Bool { left.nanoseconds == right.nanoseconds }
  @inlinable public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
  // Written out because the defaults of `Comparable` call `<` through a witness table.
  @inlinable public static func <= (left: Instant, right: Instant) -> Bool { left.nanoseconds <= right.nanoseconds }
  @inlinable public static func > (left: Instant, right: Instant) -> Bool { left.nanoseconds > right.nanoseconds }
  @inlinable public static func >= (left: Instant, right: Instant) -> Bool { left.nanoseconds >= right.nanoseconds }
}

extension Int64 {
  fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension Duration {
  /// Nanoseconds, clamped to 64 bits (292 years either way).
  package var wholeNanoseconds: Int64 {
    // Fast path for nearly every duration: one division, where `components` needs two of 128 bits. Below half of the
    // divisor, the quotient fits 63 bits.
    let high = attoseconds >> 64
    if high >= 0, high < 500_000_000 {
      let words = (UInt64(truncatingIfNeeded: high), UInt64(truncatingIfNeeded: attoseconds))
      return Int64(bitPattern: (1_000_000_000 as UInt64).dividingFullWidth((words.0, words.1)).quotient)
    }
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }
}
