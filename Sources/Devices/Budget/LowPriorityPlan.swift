import Timeline

/// How late a priority 5 update may be.
///
/// Documented: it is delivered when that suits the device, and there may be any number. Assumed: all figures.
package struct LowPriorityPlan: Hashable, Sendable {
  /// What brings in at once whatever is held.
  package enum FlushCause: String, CaseIterable, Hashable, Sendable {
    case screenOn
    case foreground
    case priority10Delivered
    case powerConnected
  }

  package var screenOn: ClosedRange<Duration> = .seconds(0)...(.seconds(2))
  package var charging: ClosedRange<Duration> = .seconds(0)...(.seconds(30))
  package var lowPower: ClosedRange<Duration> = .seconds(60)...(.seconds(900))
  package var locked: ClosedRange<Duration> = .seconds(5)...(.seconds(120))
  /// Longest that anything is held, from the first that was held for its token.
  package var maxHold: Duration = .seconds(900)
  package var flushes = Set(FlushCause.allCases)

  package init() {}

  /// The range of delays in a condition.
  ///
  /// Assumed: the first of screen on, charging and Low Power Mode that is so, else as locked. Screen and power come
  /// first since both flush what Low Power Mode held: a lit phone must not hold anew what it has just let go.
  package func range(in condition: DeviceCondition) -> ClosedRange<Duration> {
    if condition.contains(.screenOn) { return screenOn }
    if condition.contains(.charging) { return charging }
    if condition.contains(.lowPower) { return lowPower }
    return locked
  }

  /// How long an update is held.
  package func delay(
    in condition: DeviceCondition, _ chance: Chance, _ subject: UInt64, _ count: UInt64
  ) -> Duration {
    min(maxHold, chance.duration(in: range(in: condition), subject, count))
  }
}
