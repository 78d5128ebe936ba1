import Timeline

/// How the stream of push-to-start tokens behaves.
package struct StartTokenHabits: Hashable, Sendable {
  /// How an app comes by a token on iOS 17.2 to 17.6, and from 18 on. Observed
  /// (docs/behavior/tokens.md#on-ios-17, docs/behavior/tokens.md#from-ios-18).
  package var on17 = PushToStartAvailability.freshInstallAfterReboot
  package var from18 = PushToStartAvailability.onLaunch
  /// Whether it yields the same value again after a start by push. Observed
  /// (docs/behavior/tokens.md#yielded-twice).
  package var firesTwice = true
  /// Whether it yields the present value at every launch, on iOS 18 and later. Observed: mostly; not by two projects.
  package var replays = true
  /// Launches at which the stream stays silent. Observed: five launches on iOS 26.6 (luka-ios pull request 146).
  package var silence = Odds.never
  /// Mean time until a token is replaced without a reason; nil for never. Observed: seemingly random (forum thread
  /// 825710).
  package var rotation: Duration?
  /// Whether a reboot replaces it. Observed once (Sitrep).
  package var rotatesOnReboot = false
  /// Whether an update to another major version of iOS replaces it, and the device token. Disputed
  /// (docs/behavior/tokens.md#what-replaces-it).
  package var rotatesOnMajorUpdate = true
  /// Whether an update of the app replaces it. Assumed: no.
  package var rotatesOnAppUpdate = false
  /// Whether an app that was deleted and installed again has another. Observed
  /// (docs/behavior/tokens.md#what-replaces-it).
  package var rotatesOnReinstall = true
  /// Whether a restore replaces it. Documented: every token changes. Disputed: thinly documented for this one.
  package var rotatesOnRestore = true

  package init() {}

  /// Documented: there is none before iOS 17.2.
  package func availability(on os: OSVersion) -> PushToStartAvailability {
    if os < OSVersion(17, 2) { return .never }
    return os < OSVersion(18, 0) ? on17 : from18
  }
}
