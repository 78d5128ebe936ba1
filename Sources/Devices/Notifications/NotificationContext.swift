/// What a phone knows beside the push when a notification arrives.
package struct NotificationContext: Hashable, Sendable {
  /// Where the app itself is.
  package enum App: String, CaseIterable, Hashable, Sendable {
    /// Not in the foreground; whether it runs does not matter.
    case elsewhere
    /// In the foreground, and `willPresent` has no options, or the app does not implement it.
    case frontHiding
    /// In the foreground, and `willPresent` lets it be shown with all that belongs to it.
    case frontShowing
  }

  package var permission = NotificationPermission.authorized
  package var app = App.elsewhere
  /// A Focus is on that does not let this app through.
  package var isFocusOn = false
  /// The app has the time-sensitive entitlement, and the Focus lets such notifications through.
  package var allowsTimeSensitive = true
  /// The app has the critical-alerts entitlement, and the user's permission for it.
  package var allowsCritical = false
  package var isScreenOn = false
  package var strings = StringTable()
  package var language = "en"
  /// Files in the app's bundle and its `Library/Sounds`.
  package var sounds: [String] = []

  package init() {}
}

/// What the user has answered when the app asked whether it may notify.
///
/// Documented: `UNAuthorizationStatus`. The app has its device token in every case.
package enum NotificationPermission: String, CaseIterable, Hashable, Sendable {
  case notDetermined
  /// Never asked: notifications arrive quietly until the user keeps them or turns them off.
  case provisional
  case authorized
  case denied
  /// An App Clip, for a while.
  case ephemeral

  /// Whether the app's alerts are shown at all, if only quietly.
  package var showsAlerts: Bool { self != .denied && self != .notDetermined }
  /// Whether it may make a sound or set the badge.
  package var allowsSoundAndBadge: Bool { self == .authorized || self == .ephemeral }
}

/// `aps.interruption-level`: how much a notification may disturb.
///
/// Documented: `UNNotificationInterruptionLevel`; without the member it is active. Assumed: an unknown word is, too.
package enum InterruptionLevel: String, CaseIterable, Hashable, Sendable {
  /// Into the list, with neither light nor sound.
  case passive
  case active
  /// Breaks through a Focus that lets it.
  case timeSensitive = "time-sensitive"
  /// Breaks through a Focus and the mute switch, with an entitlement and the user's permission.
  case critical
}
