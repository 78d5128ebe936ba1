/// Numbers that stand for a `Date` in content. Swift's decoder counts seconds from 2001.
///
/// Observed: ios-library issue 411, iOS issue 4677 of home-assistant
/// (docs/behavior/live-activities.md#dates-in-content).
enum ContentDates {
  /// A number of this size is 2009 or later if counted from 1970, and 2039 or later if counted from 2001.
  static func isDistant(_ seconds: Double) -> Bool { seconds > 1_230_000_000 }

  /// Far beyond any date in seconds.
  static func isInMilliseconds(_ number: Double) -> Bool { number > 100_000_000_000 }
}
