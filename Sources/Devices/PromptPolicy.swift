import Timeline

/// The Allow / Don't Allow question on the card of a Live Activity that a push has started.
///
/// Observed: no update token is issued until Allow is tapped, which Apple's support confirms as intended (mfaani.com,
/// forum threads 800669 and 807976).
package struct PromptPolicy: Hashable, Sendable {
  /// Disputed: whether every start asks.
  package enum Policy: String, CaseIterable, Hashable, Sendable {
    case firstPushStart
    case everyPushStart
    case never
  }

  package enum Answer: String, CaseIterable, Hashable, Sendable {
    case allow
    case deny
    /// The card cannot be ended by a push and stays. Observed: forum thread 836077.
    case ignore
  }

  package var policy = Policy.firstPushStart
  package var answer = Answer.allow
  /// Time after which the person answers on the Lock Screen. Assumed.
  package var after: Duration = .seconds(20)
  /// Time after which the card of an ignored question disappears. Assumed.
  package var cleanUp: Duration = .seconds(12 * 3600)

  /// True if the question is shown, and can be answered, only on the Lock Screen. Assumed.
  package var needsLockScreen = true
  /// Number of priority 10 updates after which the question returns on a running card; nil for never.
  ///
  /// Observed once, without a number: many may bring it back. Assumed: the card keeps running.
  package var asksAgainAfter: UInt32?
  /// True if a card with an unanswered question ignores broadcasts, as it ignores pushes to a token.
  ///
  /// Observed once: a broadcast needs no answer (mfaani.com).
  package var holdsBroadcasts = false

  package init() {}
}

/// The behavior of the stream of push-to-start tokens.
package struct StartTokenPolicy: Hashable, Sendable {
  /// The condition for a push-to-start token: on iOS 17.2 to 17.6, and from 18 on. Observed
  /// (docs/behavior/tokens.md#on-ios-17, docs/behavior/tokens.md#from-ios-18).
  package var on17 = PushToStartAvailability.freshInstallAfterReboot
  package var from18 = PushToStartAvailability.onLaunch
  /// True if it yields the same value again after a start by push. Observed
  /// (docs/behavior/tokens.md#yielded-twice).
  package var firesTwice = true
  /// True if it yields the current value at every launch, on iOS 18 and later. Observed: mostly; not by two projects.
  package var replays = true
  /// Probability that the stream stays silent at a launch. Observed: five launches on iOS 26.6 (luka-ios pull request
  /// 146).
  package var silence = Odds.never
  /// Mean time until a token is replaced at random; nil for never. Observed: seemingly random (forum thread 825710).
  package var rotation: Duration?
  /// True if a reboot replaces it. Observed once (Sitrep).
  package var rotatesOnReboot = false
  /// True if an update to another major version of iOS replaces it, and the device token. Disputed
  /// (docs/behavior/tokens.md#what-replaces-it).
  package var rotatesOnMajorUpdate = true
  /// The effect of an update to iOS 27.0 or later on the token. Observed: for some, it dies silently
  /// (docs/behavior/tokens.md#after-the-update-to-ios-27).
  package var afterSystemUpdate = AfterSystemUpdate.keeps
  /// The share of the apps on such phones whose tokens die. Assumed: no share was published.
  package var staleShare = Odds.always
  /// True if an update of the app replaces it. Assumed: no.
  package var rotatesOnAppUpdate = false
  /// True if deleting and reinstalling the app replaces it. Observed
  /// (docs/behavior/tokens.md#what-replaces-it).
  package var rotatesOnReinstall = true
  /// True if a restore replaces it. Documented: every token changes. Disputed: thinly documented for this token.
  package var rotatesOnRestore = true

  package init() {}

  package enum AfterSystemUpdate: String, CaseIterable, Hashable, Sendable {
    /// The token stays valid, or is replaced if a major update replaces it.
    case keeps
    /// The app holds a dead token, to which APNs answers 200.
    case stale
  }

  /// True if tokens may die with an update of the system. Observed: with the one to 27.0 (iOS issue 5812).
  func mayKill(_ before: OSVersion, _ after: OSVersion) -> Bool {
    afterSystemUpdate == .stale && before < OSVersion(27, 0) && after >= OSVersion(27, 0)
  }

  /// Documented: push-to-start tokens need iOS 17.2 or later.
  package func availability(on os: OSVersion) -> PushToStartAvailability {
    if os < OSVersion(17, 2) { return .never }
    return os < OSVersion(18, 0) ? on17 : from18
  }
}

/// The condition under which `pushToStartTokenUpdates` yields.
///
/// Documented: from iOS 17.2. Observed: on 17.2 to 17.6 only after deleting the app, rebooting and reinstalling it, in
/// that order; reliable at every launch from iOS 18 (docs/behavior/tokens.md#on-ios-17).
package enum PushToStartAvailability: String, CaseIterable, Hashable, Sendable {
  case never
  case freshInstallAfterReboot
  case onLaunch

  /// True if an app with a later token can have had the token of that generation; the first is issued with the app.
  package func issued(startToken generation: UInt32) -> Bool {
    switch self {
    case .never: false
    case .freshInstallAfterReboot: generation > 0
    case .onLaunch: true
    }
  }
}
