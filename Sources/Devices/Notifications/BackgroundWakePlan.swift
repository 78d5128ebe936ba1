import APNs
import Timeline

/// The conditions and limits under which a silent push wakes an app. Apple leaves them to the system, so every number
/// is a setting.
package struct BackgroundWakePlan: Hashable, Sendable {
  /// The fate of a silent push in Low Power Mode, or while Background App Refresh is off.
  package enum Restricted: String, CaseIterable, Hashable, Sendable {
    /// Deferred until that changes or the app is opened.
    case hold
    case drop
    case deliver
  }

  /// Assumed: Apple says that refresh is off in Low Power Mode, but not what happens to the push.
  package var whenRestricted = Restricted.hold
  /// Documented: two or three an hour.
  package var wakes: UInt32 = 3
  /// Length of the window, from its first wake. Documented: an hour. Assumed: fixed, not sliding.
  package var window: Duration = .seconds(3600)
  /// Longest time that a push waits for the phone's power. Assumed: as long as APNs stores a push for a phone that is
  /// offline.
  package var patience: Duration = .seconds(30 * 24 * 3600)
  /// The probability that the system decides to wake the app. Observed: 60 to 70 % of silent pushes succeed
  /// (docs/behavior/background-pushes.md#not-woken).
  package var odds = Odds(65, in: 100)
  /// Maximum runtime of the woken app. Documented.
  package var runtime: Duration = .seconds(30)

  package init() {}
}

/// The state of a phone that decides about a wake, besides the push.
package struct BackgroundContext: Hashable, Sendable {
  package var process = AppProcess.suspended
  package var isLowPower = false
  /// Background App Refresh for this app.
  package var isRefreshOn = true
  /// The app declares the `remote-notification` background mode.
  package var hasBackgroundMode = true

  package init() {}

  /// Documented: Low Power Mode turns refresh off.
  package var restriction: WakeCause? {
    if isLowPower { return .lowPower }
    return isRefreshOn ? nil : .refreshOff
  }
}

/// The reason why a silent push does not reach the app, or not yet.
package enum WakeCause: String, CaseIterable, Hashable, Sendable {
  case notRequested = "content-available-missing"
  case typeIsAlert = "push-type-alert"
  case forceQuit = "force-quit"
  case noBackgroundMode = "no-background-mode"
  case lowPower = "low-power-mode"
  case refreshOff = "background-refresh-off"
  case throttled = "background-throttled"
  case notWoken = "not-woken"
  case superseded = "superseded"
  case expired = "expired"
  case notStored = "not-stored"

  /// A clause about the cause, for backend developers.
  package var sentence: String {
    switch self {
    case .notRequested:
      "aps.content-available is not 1, so the push asks for nothing: it neither wakes nor shows anything"
    case .typeIsAlert: "a push of type alert does not wake the app with content-available alone; use type background"
    case .forceQuit: "the user has force-quit the app: silent pushes cannot launch it until somebody opens it"
    case .noBackgroundMode: "the app does not declare the remote-notification background mode"
    case .lowPower: "Low Power Mode turns Background App Refresh off, so silent pushes wait"
    case .refreshOff: "the user has turned Background App Refresh off for this app, so silent pushes wait"
    case .throttled: "the app was woken as often as iOS allows in an hour; the push waits"
    case .notWoken: "iOS chose not to wake the app; silent pushes are never guaranteed"
    case .superseded: "a newer silent push came while this one was waiting; only the newest is kept"
    case .expired: "the silent push waited so long that it was discarded"
    case .notStored: "the silent push had to wait, and with apns-expiration 0 APNs does not store a push"
    }
  }

  /// The evidence that a phone treats a silent push in this way.
  package var evidence: Evidence { source.told(in: "background-pushes.md#\(rawValue)") }

  private var source: Evidence {
    let article = "Apple, Pushing background updates to your App"
    return switch self {
    case .notRequested: .observed("forum thread 745345; Apple documents that the flag is required")
    case .typeIsAlert: .observed("forum thread 745345; node-apn pull request 14: both the type and the flag are needed")
    case .forceQuit, .noBackgroundMode: .documented(article)
    case .lowPower, .refreshOff:
      .disputed("documented: refresh is off; widely believed, not documented: the push is deferred")
    case .throttled: .documented(article + ": two or three an hour; assumed: a fixed window of three")
    case .notWoken: .observed("Sightscreen's guide: a silent push succeeds in 60 to 70 % of cases")
    case .superseded: .documented(article)
    case .expired: .documented("Apple, Viewing the status of push notifications using metrics and APNs")
    case .notStored: .documented("Apple, Sending notification requests to APNs: 0 is not stored")
    }
  }
}
