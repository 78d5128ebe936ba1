import APNs

/// Why a silent push does not reach the app, or not yet.
package enum WakeCause: String, CaseIterable, Hashable, Sendable {
  case forceQuit = "force-quit"
  case noBackgroundMode = "no-background-mode"
  case lowPower = "low-power-mode"
  case refreshOff = "background-refresh-off"
  case throttled = "background-throttled"
  case notWoken = "not-woken"
  case superseded = "superseded"
  case expired = "expired"

  /// What happened, in a sentence a backend developer understands.
  package var sentence: String {
    switch self {
    case .forceQuit: "the user has force-quit the app: silent pushes launch it no more until somebody opens it"
    case .noBackgroundMode: "the app does not declare the remote-notification background mode"
    case .lowPower: "Low Power Mode turns Background App Refresh off, so silent pushes wait"
    case .refreshOff: "the user has turned Background App Refresh off for this app, so silent pushes wait"
    case .throttled: "the app was woken as often as iOS allows in an hour; the push waits"
    case .notWoken: "iOS chose not to wake the app; silent pushes are never guaranteed"
    case .superseded: "a newer silent push came while this one was waiting; only the newest is kept"
    case .expired: "the silent push waited until APNs gave it up"
    }
  }

  /// How we know it.
  package var evidence: Evidence { source.told(in: "background-pushes.md#\(rawValue)") }

  private var source: Evidence {
    let article = "Apple, Pushing background updates to your App"
    return switch self {
    case .forceQuit, .noBackgroundMode: .documented(article)
    case .lowPower, .refreshOff:
      .disputed("that refresh is off is documented; that the push is held is widely believed")
    case .throttled: .documented(article + ": two or three an hour; the fixed window of three is assumed")
    case .notWoken: .observed("Sightscreen's guide: a silent push succeeds in 60 to 70 % of cases")
    case .superseded: .documented(article)
    case .expired: .assumed("APNs keeps what waits for power no longer than what waits for a phone")
    }
  }
}
