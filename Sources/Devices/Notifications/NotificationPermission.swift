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
