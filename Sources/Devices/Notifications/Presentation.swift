import APNs

/// The form in which a person saw a notification, if at all.
package struct Presentation: Hashable, Sendable {
  package enum Shape: String, CaseIterable, Hashable, Sendable {
    /// A banner or a card on the Lock Screen, and an entry in the list.
    case banner
    case listOnly = "list-only"
    case nothing
  }

  package let shape: Shape
  package let cause: PresentationCause
  /// The part of the app's service extension; nil if nobody expects the extension to run.
  package internal(set) var passage: ServiceExtension.Outcome?
  /// The number of the notification in the list.
  package internal(set) var number: UInt32?
  /// The number of the notification that it replaced.
  package internal(set) var replaced: UInt32?
  package internal(set) var alert: RenderedAlert?
  /// The sound that was played.
  package internal(set) var sound: NotificationSound?
  /// The new badge; nil if the push did not change it.
  package internal(set) var badge: Int?
  /// Number of older notifications of the app that the badge 0 removed from the list.
  package internal(set) var cleared = 0
  /// Members of the payload that were ignored.
  package internal(set) var remarks = PayloadRemarks()
  /// True if it turned the screen on.
  package internal(set) var lightsScreen = false

  init(_ shape: Shape, _ cause: PresentationCause) {
    self.shape = shape
    self.cause = cause
  }
}

/// The reason why a phone presents a notification as it does.
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

  /// A clause about the cause, for backend developers.
  package var sentence: String {
    switch self {
    case .nothingToShow: "the push has no readable alert, badge or sound"
    case .permissionDenied: "not shown, because notifications are denied; the device token is still valid"
    case .notDetermined: "the app has not yet asked for permission to notify"
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

extension PresentationCause {
  /// The evidence that a phone does this.
  package var evidence: Evidence { source.told(in: "notifications.md#\(rawValue)") }

  /// The evidence for a badge or a sound without an alert.
  package static let badgeOrSoundAlone = Evidence.documented("Apple, Generating a remote notification").told(
    in: "notifications.md#\(PresentationCause.noText.rawValue)")

  private var source: Evidence {
    let payload = "Apple, Generating a remote notification"
    return switch self {
    case .nothingToShow: .documented(payload)
    case .permissionDenied, .notDetermined: .documented("Apple, UNAuthorizationStatus")
    case .foreground: .documented("Apple, userNotificationCenter(_:willPresent:withCompletionHandler:)")
    case .noText: .assumed("an alert without text shows nothing")
    case .provisional: .documented("Apple, Asking permission to use notifications; assumed: the badge stays")
    case .critical, .passive, .timeSensitive, .focus: .documented("Apple, UNNotificationInterruptionLevel")
    case .shown: .documented(payload)
    }
  }
}
