import Timeline

/// The behavior of phones, people and APNs where nothing is published or where sources contradict each other. Each
/// value is configurable.
package struct DevicePolicy: Hashable, Sendable {
  // MARK: - Tokens

  /// From the first push after an uninstall until APNs answers 410.
  ///
  /// Observed: hours to a day (apns2 issues 77 and 159); the delay is deliberate and fuzzy (forum thread 670868).
  package var uninstallNotice: ClosedRange<Duration> = .seconds(3600)...(.seconds(24 * 3600))
  /// Time for which APNs still answers 200 for a rotated push-to-start token. Observed: weeks; Assumed: a day.
  package var startTokenGrace: Duration = .seconds(24 * 3600)
  /// Time for which APNs still answers 200 for a rotated update token. Assumed.
  package var updateTokenGrace: Duration = .seconds(60)
  /// From the end of an activity until its token is answered 410; nil for never.
  ///
  /// Disputed: 410 by an Apple engineer and many servers, 200 forever by one project. Assumed: a minute
  /// (docs/behavior/tokens.md#after-the-end).
  package var deadActivityNotice: Duration? = .seconds(60)
  /// The reason in that 410. Assumed: only the end of the eight hours was measured.
  package var deadActivityReason = DeadActivityReason.unregistered
  package var timing = Timing()
  package var startTokens = StartTokenPolicy()
  /// Mean time until an update token is replaced while its activity runs; nil for never.
  ///
  /// Documented: it may happen. Observed: never in production
  /// (docs/behavior/tokens.md#replaced-in-mid-activity).
  package var updateTokenRotation: Duration?
  /// True if a start without `input-push-token` brings no update token on iOS 18 and later.
  ///
  /// Disputed: one developer received one, another log never did
  /// (docs/behavior/live-activities.md#update-token-after-a-start).
  package var requiresInputPushToken = false
  /// True if a new token wakes an app that is not running. Disputed: foreground runtime by WWDC23,
  /// background runtime by Apple's present article (docs/behavior/tokens.md#runtime-for-a-new-token).
  package var newTokenWakesApp = true

  // MARK: - Lifetimes

  /// Documented: a Live Activity is active for at most eight hours. Observed: its token answers 410 `ExpiredToken`
  /// from that instant on (200 at 7 h 55, 410 at 8 h 00).
  package var activityLife: Duration = .seconds(8 * 3600)
  /// Maximum time for which an ended activity stays on the Lock Screen. Documented: four hours.
  package var linger: Duration = .seconds(4 * 3600)
  /// Maximum time for which an activity stays on the Lock Screen after its eight hours. Disputed: the end of the token
  /// was measured, that of the card was not.
  package var expiredLinger: Duration = .seconds(4 * 3600)
  /// Activities that one app may run at once. Observed: five (PushWard, OneSignal); Apple publishes none.
  package var activitiesPerApp = 5
  /// Activities that one device may run at once. Assumed: Apple has a limit but does not publish it.
  package var activitiesPerDevice = 8
  /// True if ended cards still count towards these limits. Assumed: no.
  package var endedCounts = false
  package var overLimit = OverLimit.drop
  /// True if the activities of a force-quit app count until the phone is rebooted. Observed once (BikeControl).
  package var leaksOnForceQuit = false
  /// Maximum age of a start's timestamp; nil for any age. Observed once: tens of seconds may be too old.
  package var maxStartAge: Duration?
  /// True if a start without an alert is dropped. Disputed: once recommended, required by Apple's
  /// present article, enforced by iOS 26.4 (docs/behavior/live-activities.md#start-payload).
  package var startNeedsAlert = AlertNeed.always
  /// Time after a force-quit in which the app's activities still accept updates; nil for no limit. Disputed: 20 to 30
  /// min were observed once.
  package var forceQuitCutoff: Duration?
  /// Disputed: thinly documented.
  package var activitiesSurviveReboot = true
  package var activitiesSurviveAppUpdate = true
  /// Assumed: cards are not restored.
  package var activitiesSurviveRestore = false
  package var prompt = PromptPolicy()

  // MARK: - Background pushes and calls

  package var wakes = BackgroundWakePlan()
  package var calls = VoIPCallPlan()

  // MARK: - Memory

  /// Memory limit of one phone for what pushes brought, in bytes. The content of running activities may exceed it. Our
  /// choice: iOS has room for more than any test.
  package var memory = 256 * 1024
  /// Memory limit of all phones together for what pushes brought, in bytes. The devices of each partition share a 256th
  /// of it, but at least as much as one phone may keep. Assumed.
  package var fleetMemory = 4_294_967_296

  // MARK: - Presentation

  /// True if the alert of a Live Activity makes a sound although notifications are denied. Disputed: no source was
  /// found. Assumed: no.
  package var alertSoundsWhenDenied = false
  /// True if a Focus keeps the alerts of Live Activities quiet. Disputed: no source was found. Assumed: no.
  package var focusQuietsActivities = false
  /// The presentation of two apps in the Dynamic Island. Disputed
  /// (docs/behavior/live-activities.md#two-apps-in-the-island).
  package var sharedIsland = SharedIsland.minimals
  /// Probability that the card of an activity is drawn only once. Observed: LoopFollow pull request 611.
  package var stuckCards = Odds.never
  /// `true` and `false` count as 1 and 0 for a flag of a notification. Disputed
  /// (docs/behavior/notifications.md#flag-boolean).
  package var booleanFlags = true
  /// Time for which an alert stays on the screen. Assumed.
  package var alertShows: Duration = .seconds(5)
  /// The share of notifications that people tap, and the delay. With 86 %, the first two layers of the token fallback
  /// together reach 95 % (docs/behavior/apps.md#layers), because the first covers 65 %. Off by default, because a test
  /// would not expect apps to open.
  package var taps = Odds.never
  package var tapAfter: ClosedRange<Duration> = .seconds(2) ... .seconds(10)

  package init() {}

  package enum DeadActivityReason: String, CaseIterable, Hashable, Sendable {
    case unregistered = "Unregistered"
    case expiredToken = "ExpiredToken"
  }

  /// On which versions of iOS a start by push without an alert is dropped.
  package enum AlertNeed: String, CaseIterable, Hashable, Sendable {
    case always = "true"
    case from26
    case never = "false"

    func holds(on os: OSVersion) -> Bool {
      switch self {
      case .always: true
      case .from26: os >= OSVersion(26, 0)
      case .never: false
      }
    }
  }

  package enum OverLimit: String, CaseIterable, Hashable, Sendable {
    case drop
    /// Observed: Adobe's documentation says that the system may end older ones.
    case evictLeastRelevant
  }

  package enum SharedIsland: String, CaseIterable, Hashable, Sendable {
    case minimals
    case minimalAndCompact
  }
}
