import Timeline

/// The delays of priority 5 updates, in each condition of a phone.
///
/// Documented: it is delivered when that suits the device, and the number of such updates is not limited. Assumed: all
/// figures.
package struct LowPriorityPlan: Hashable, Sendable {
  /// An event that releases all deferred updates at once.
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
  /// The longest time that an update is deferred, counted from the first one deferred for its token.
  package var maxHold: Duration = .seconds(900)
  package var flushes = Set(FlushCause.allCases)

  package init() {}

  /// The range of delays in a condition.
  ///
  /// Assumed: the first condition that applies decides: screen on, charging, Low Power Mode, otherwise locked. Screen
  /// and power come first because both flush what Low Power Mode deferred; a phone must not defer again what it has
  /// just released.
  package func range(in condition: DeviceCondition) -> ClosedRange<Duration> {
    if condition.contains(.screenOn) { return screenOn }
    if condition.contains(.charging) { return charging }
    if condition.contains(.lowPower) { return lowPower }
    return locked
  }

  /// True if a push suits the phone now, so that a delay is not storage. Assumed: while it is in use or charges.
  package static func suits(_ condition: DeviceCondition) -> Bool {
    condition.contains(.screenOn) || condition.contains(.charging)
  }

  /// The time for which an update is deferred.
  package func delay(
    in condition: DeviceCondition, by chance: Chance, subject: UInt64, count: UInt64
  ) -> Duration {
    min(maxHold, chance.duration(in: range(in: condition), subject: subject, count: count))
  }
}
