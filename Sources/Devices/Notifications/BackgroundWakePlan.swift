import Timeline

/// When a silent push wakes an app. Apple calls it the system's choice, so each number is a setting.
package struct BackgroundWakePlan: Hashable, Sendable {
  /// What becomes of a silent push in Low Power Mode, or while Background App Refresh is off.
  package enum Restricted: String, CaseIterable, Hashable, Sendable {
    /// Kept until that changes, or the app is opened.
    case hold
    case drop
    case deliver
  }

  /// Assumed: Apple says that refresh is off in Low Power Mode, not what happens to the push.
  package var whenRestricted = Restricted.hold
  /// Documented: two or three an hour.
  package var wakes: UInt32 = 3
  /// From the first wake until all is forgotten. Documented: an hour. Assumed: fixed, not sliding.
  package var window: Duration = .seconds(3600)
  /// How long one waits for Low Power Mode or refresh to change before it is given up. Assumed: as long as APNs keeps
  /// anything.
  package var patience: Duration = .seconds(30 * 24 * 3600)
  /// That the system finds it worth waking the app. Observed: 60 to 70 % of silent pushes succeed
  /// (docs/behavior/background-pushes.md#not-woken).
  package var odds = Odds(65, in: 100)
  /// How long the app may run. Documented.
  package var runtime: Duration = .seconds(30)

  package init() {}
}
