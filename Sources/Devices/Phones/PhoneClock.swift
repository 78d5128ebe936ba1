import Timeline

/// The phone's own clock, which decides when stale and dismissal dates are reached. Assumed
/// (docs/behavior/live-activities.md#the-clock-of-the-phone).
package struct PhoneClock: Hashable, Sendable {
  /// In nanoseconds.
  private var offset: Int64 = 0

  /// By how much it is ahead of the world's time.
  package var ahead: Duration { .nanoseconds(offset) }

  /// By how much later than the world's time this clock shows a date, in nanoseconds.
  var delay: Int64 { 0 &- offset }

  /// The world's time at which this clock shows a date.
  func instant(of date: Instant?) -> Instant? { offset == 0 ? date : date?.advanced(nanoseconds: delay) }

  /// - Returns: by how much later all dates are reached now, in nanoseconds.
  mutating func set(ahead: Duration) -> Int64 {
    let before = offset
    offset = ahead.wholeNanoseconds
    return before &- offset
  }
}
