/// The state of a phone when a notification arrives, besides the push.
package struct NotificationContext: Hashable, Sendable {
  /// The state of the app's screen.
  package enum App: String, CaseIterable, Hashable, Sendable {
    /// Not in the foreground, running or not.
    case elsewhere
    /// In the foreground; the app has no `willPresent`, or it returns no options.
    case frontHiding
    /// In the foreground; `willPresent` allows the full presentation.
    case frontShowing
  }

  package var permission = NotificationPermission.authorized
  package var app = App.elsewhere
  /// True if a Focus is on that does not allow this app.
  package var isFocusOn = false
  /// The app has the time-sensitive entitlement, and the Focus lets such notifications through.
  package var allowsTimeSensitive = true
  /// The app has the critical-alerts entitlement, and the user's permission for it.
  package var allowsCritical = false
  package var isScreenOn = false
  package var strings = StringTable()
  package var language = "en"
  /// Sound files in the app's bundle and its `Library/Sounds`.
  package var sounds: [String] = []

  package init() {}
}

/// The user's answer to the app's request for notification permission.
///
/// Documented: `UNAuthorizationStatus`. The app has its device token in any case.
package enum NotificationPermission: String, CaseIterable, Hashable, Sendable {
  case notDetermined
  /// Never asked: notifications arrive quietly until the user keeps them or turns them off.
  case provisional
  case authorized
  case denied
  /// An App Clip, for a while.
  case ephemeral

  /// True if the app's alerts are shown at all, even quietly.
  package var showsAlerts: Bool { self != .denied && self != .notDetermined }
  /// True if it may make a sound or set the badge.
  package var allowsSoundAndBadge: Bool { self == .authorized || self == .ephemeral }
}

/// `aps.interruption-level`: how much a notification may disturb.
///
/// Documented: `UNNotificationInterruptionLevel`; active if the member is missing. Assumed: also if the value is
/// unknown.
package enum InterruptionLevel: String, CaseIterable, Hashable, Sendable {
  /// Only added to the list: neither lights the screen nor makes a sound.
  case passive
  case active
  /// Breaks through a Focus that allows it.
  case timeSensitive = "time-sensitive"
  /// Breaks through a Focus and the mute switch, with an entitlement and the user's permission.
  case critical
}
