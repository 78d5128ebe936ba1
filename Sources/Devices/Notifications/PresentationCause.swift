/// Why a phone presents a notification as it does.
package enum PresentationCause: String, CaseIterable, Hashable, Sendable {
  case nothingToShow = "nothing-to-show"
  case permissionDenied = "permission-denied"
  case notDetermined = "permission-not-determined"
  case foreground = "app-in-foreground"
  case noText = "no-text"
  case provisional = "permission-provisional"
  case critical = "critical"
  case passive = "passive"
  case timeSensitive = "time-sensitive"
  case focus = "focus"
  case shown = "shown"

  /// What happened, in a sentence a backend developer understands.
  package var sentence: String {
    switch self {
    case .nothingToShow: "the push has no readable alert, badge or sound"
    case .permissionDenied: "not shown, because notifications are denied; the device token is still valid"
    case .notDetermined: "the app has not yet asked whether it may notify"
    case .foreground: "the app is in the foreground and does not ask iOS to show the notification"
    case .noText: "the push has no text to show; it may set the badge or play a sound"
    case .provisional: "permission is provisional: the notification is in the list, without banner, sound or badge"
    case .critical: "a critical alert breaks through Focus and the mute switch"
    case .passive: "interruption-level passive puts the notification into the list, without banner or sound"
    case .timeSensitive: "a time-sensitive notification breaks through the Focus that is on"
    case .focus: "a Focus is on, so the notification is in the list, without banner or sound"
    case .shown: "the notification is shown as a banner and put into the list"
    }
  }
}
