import APNs

extension PresentationCause {
  /// How we know that a phone does so.
  package var evidence: Evidence { source.told(in: "notifications.md#\(rawValue)") }

  private var source: Evidence {
    let payload = "Apple, Generating a remote notification"
    return switch self {
    case .nothingToShow: .documented(payload)
    case .permissionDenied, .notDetermined: .documented("Apple, UNAuthorizationStatus")
    case .foreground: .documented("Apple, userNotificationCenter(_:willPresent:withCompletionHandler:)")
    case .noText: .assumed("a badge or a sound alone is documented; that an empty alert shows nothing is our reading")
    case .provisional: .documented("Apple, Asking permission to use notifications; that the badge stays is assumed")
    case .critical, .passive, .timeSensitive, .focus: .documented("Apple, UNNotificationInterruptionLevel")
    case .shown: .documented(payload)
    }
  }
}
