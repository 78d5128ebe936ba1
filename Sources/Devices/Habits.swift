import Timeline

/// How long tokens outlive what they were for, and other times nobody publishes.
package struct Habits: Hashable, Sendable {
  /// From the first push after an uninstall until APNs answers 410.
  ///
  /// Observed: hours to a day (apns2 issues 77 and 159); the delay is deliberate and fuzzy (forum thread 670868).
  package var uninstallNotice: ClosedRange<Duration> = .seconds(3600)...(.seconds(24 * 3600))
  /// How long a rotated push-to-start token is still answered 200. Observed: weeks; Assumed: a day.
  package var startTokenGrace: Duration = .seconds(24 * 3600)
  /// How long a rotated update token is still answered 200. Assumed.
  package var updateTokenGrace: Duration = .seconds(60)
  /// From the end of an activity until its token is answered 410; nil for never.
  ///
  /// Disputed: 410 at once by seed 000 and an Apple engineer, 200 for ever by one project. Assumed: a minute.
  package var deadActivityNotice: Duration? = .seconds(60)
  /// Documented: a Live Activity is active for at most eight hours. Observed: its token answers 410 `ExpiredToken`
  /// from that instant on (200 at 7 h 55, 410 at 8 h 00).
  package var activityLife: Duration = .seconds(8 * 3600)

  /// How long an ended activity stays on the Lock Screen at most. Documented: four hours.
  package var linger: Duration = .seconds(4 * 3600)
  /// Activities that one app may run at once. Observed: five (PushWard, OneSignal); Apple publishes none.
  package var activitiesPerApp = 5
  /// Activities that one device may run at once. Assumed: Apple has such a limit and does not say which.
  package var activitiesPerDevice = 8

  package init() {}
}
