/// What a phone knows beside the push when a notification arrives.
package struct NotificationSurroundings: Hashable, Sendable {
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
