import APNs

/// What falls due on a phone by itself. Each looks at the phone when its time has come, and may find nothing to do.
package enum PhoneWork: Hashable, Sendable {
  /// Updates or notifications were held back until now.
  case release
  case activityBegins(app: Int, UInt32)
  case activityGoesStale(app: Int, UInt32)
  case activityRunsOut(app: Int, UInt32)
  case activityDismisses(app: Int, UInt32)
  /// The person answers the question under a card.
  case promptAnswered(app: Int, UInt32)
  /// The person taps a notification.
  case tap(app: Int, UInt32)
  case tokenArrives(app: Int, UInt32)
  /// The app is woken because of an activity that a push has started.
  case appWakes(app: Int, UInt32)
  /// Background runtime is over.
  case runtimeEnds(app: Int)
  case tokenRotates(app: Int, TokenSlot)
  /// A background push that was held may wake the app.
  case backgroundPush(app: Int)
  /// One that waits for power or a switch is given up.
  case backgroundExpires(app: Int, push: UInt64)
}
