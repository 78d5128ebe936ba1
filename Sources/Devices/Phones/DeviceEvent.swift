import APNs

/// An event on a phone. Names of events that an app receives by its streams end in `Yielded`; only these may become
/// reports to the app's backend.
package enum DeviceEvent: Hashable, Sendable {
  /// APNs has issued a token, whether the app knows it or not.
  case tokenIssued(TokenSlot)
  /// The user has registered a token for this slot.
  case tokenRegistered(TokenSlot)
  case tokenYielded(TokenSlot)
  /// The token that the app holds is dead from now on, and nobody is told.
  case tokenDied(TokenSlot)

  case activityStarted(UInt32, LiveActivity.Origin)
  /// Documented: scheduled, and not begun (iOS 26).
  case activityScheduled(UInt32)
  /// The Allow question of an activity is shown.
  case promptShown(UInt32)
  case promptAnswered(UInt32, allowed: Bool)
  case activityStale(UInt32)
  case activityEnded(UInt32, ActivityEnd)
  case activityDismissed(UInt32)
  /// The person has opened it in the island, or on the whole screen in StandBy.
  case cardOpened(UInt32)
  /// The person has tapped the card, which opens the app.
  case cardTapped(UInt32)
  /// The person has pressed a button of the card, by its place in `AppProfile.buttons`.
  case cardButtonPressed(UInt32, button: UInt16)
  case activityYielded(UInt32)
  case activityStateYielded(UInt32, LiveActivity.State)
  case contentYielded(UInt32)
  /// The memory limit was reached: attributes and content of an ended activity were dropped.
  case contentForgotten(UInt32)
  /// `Activity.request` threw.
  case activityRefused(AuthorizationError, isChannelUnknown: Bool = false)
  case enablementYielded(Bool)
  case frequentPushesYielded(Bool)

  case appInstalled
  case appUpdated
  case appRemoved
  case appLaunched(Launch)
  case appForegrounded
  case appBackgrounded
  case appSuspended
  case appTerminated(AppLifecycle)

  /// The app in the foreground is asked how to present a notification.
  case notificationYielded(UInt32)
  case notificationTapped(UInt32)
  /// The person has pressed a button of a notification, by its place in `AppProfile.buttons`.
  case notificationButtonPressed(UInt32, button: UInt16)
  /// The person has answered a notification with a text.
  case notificationAnswered(UInt32)
  case notificationsCleared
  /// The memory limit was reached: the oldest notification was dropped.
  case notificationForgotten(UInt32)
  /// The app has received a background push, by its number.
  case backgroundPushYielded(UInt64)
  /// A push that the phone has received before arrived once more; nil for a broadcast.
  case pushArrivedAgain(UInt64?, ReactionKind)
  case permissionChanged(NotificationPermission)
  case switched(PhoneSwitch, isOn: Bool)

  case wentOffline
  case wentOnline
  case locked
  case unlocked
  case screenLit
  case screenDark
  case rebooted
  case restored
  /// By how much its clock is ahead from now on.
  case clockSet(Duration)
  case systemUpdated(OSVersion)
}

/// Reason for starting an app's process.
package enum Launch: String, CaseIterable, Hashable, Sendable {
  case byPerson
  case byLiveActivity
  case byToken
  case byBackgroundPush
  case byCall
  /// The person pressed a button of a card or a notification, or answered one.
  case byTouch
}

/// Reason for the end of a Live Activity.
package enum ActivityEnd: String, Hashable, Sendable {
  case push
  /// The app ended it.
  case command
  /// The person swiped its card away.
  case user
  /// The eight hours of an activity were over.
  case lifeOver
  /// The system needed the memory.
  case system
  case appRemoved
  /// The switch for Live Activities or for frequent updates was changed.
  case switched
  /// The person did not allow it.
  case denied
  /// A transient activity, when the phone was locked.
  case transient
  case evicted
}
