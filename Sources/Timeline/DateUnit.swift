/// Guess at the unit of a number that is meant to be a date in seconds since 1970.
///
/// Observed in `apns-expiration`: seconds from now (rpush issue 420, NWPusher issue 73), milliseconds
/// (parse-server-push-adapter issue 14).
package enum DateUnit: Hashable, Sendable {
  /// Seconds since 1970, or a date that is past on purpose, such as 0.
  case seconds
  case milliseconds
  /// Seconds since 2001, as of Swift's reference date.
  case since2001
  case fromNow

  package init(of number: Double) {
    if number >= Self.firstMilliseconds {
      self = .milliseconds
    } else if number <= 0 || number >= Self.swiftEpoch {
      self = .seconds
    } else {
      self = number < Self.secondsFromNow ? .fromNow : .since2001
    }
  }

  /// The unit in which a number beyond the year 5138 is a date of this century; nil for any other number.
  package static func fraction(_ number: Double) -> String? {
    switch number {
    case ..<firstMilliseconds: nil
    case ..<(firstMilliseconds * 1e2): "milliseconds"
    case ..<(firstMilliseconds * 1e5): "microseconds"
    default: "nanoseconds"
    }
  }

  /// In the year 5138 as seconds, in 1973 as milliseconds.
  private static let firstMilliseconds = 1e11
  /// The beginning of 2001, in seconds since 1970.
  package static let swiftEpoch = 978_307_200.0
  /// Three years, which no lifetime of a push exceeds.
  private static let secondsFromNow = 1e8
}
