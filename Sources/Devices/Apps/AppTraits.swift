/// Declarations of an app, and how well its code behaves.
package struct AppTraits: Hashable, Sendable {
  /// `NSSupportsLiveActivities`.
  package var supportsLiveActivities = true
  /// `NSSupportsLiveActivitiesFrequentUpdates`.
  package var frequentUpdates = false
  /// The push capability. Documented: without it an activity has no token.
  package var pushCapability = true
  /// The background mode `remote-notification`.
  package var backgroundPushes = true
  /// Shows notifications while it is in the foreground (`willPresent`).
  package var presentsInForeground = false
  /// The entitlement for critical alerts, and the person's permission.
  package var criticalAlerts = false
  package var reportsCalls = CallReporting.atOnce
  package var joinsChannels = false
  package var serviceExtension = ServiceExtension.absent
  /// The contents of Localizable.strings.
  package var strings = StringTable()
  /// Sound files in its bundle.
  package var sounds: [String] = []
  /// The types of the next version, if an update changes them.
  package var nextTypes: [AttributesType]?
  package var observing = Observing()

  package init() {}

  /// The times at which the app observes ActivityKit. Observed: mistakes here cause neither an error nor a crash.
  package struct Observing: Hashable, Sendable {
    /// True if `activityUpdates` is observed at all.
    package var activityUpdates = true
    /// Observers are installed at launch, not when the app creates an activity.
    package var atLaunch = true
    /// The streams of tokens are observed. Otherwise a token is read once: at launch, or right after a start, when no
    /// token has been issued yet.
    package var tokenUpdates = true
    /// The task that observes tokens is kept; otherwise it ends when the app goes to the background.
    package var keepsTask = true

    package init() {}
  }
}

/// A presentation that a Live Activity's widget must provide; an app that lacks one of these does not run.
///
/// Documented: Apple, "Displaying live data with Live Activities", names all but the last. Observed: from
/// iOS 18 on the small family of Watch and CarPlay is needed as well (docs/behavior/live-activities.md#presentations).
package enum RequiredPresentation: String, CaseIterable, Hashable, Sendable {
  case lockScreen, expanded, compactLeading, compactTrailing, minimal, small
}
