import Timeline

/// The Allow / Don't Allow question under the card of a Live Activity that a push has started.
///
/// Observed: until Allow is tapped no update token is issued, which Apple's support confirms as intended (mfaani.com,
/// forum threads 800669 and 807976).
package struct PromptHabits: Hashable, Sendable {
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
  /// How long the person looks at it on the Lock Screen. Assumed.
  package var after: Duration = .seconds(20)
  /// When an ignored one goes. Assumed.
  package var cleanUp: Duration = .seconds(12 * 3600)

  /// Whether it is put, and can be answered, on the Lock Screen only. Assumed.
  package var needsLockScreen = true
  /// Updates of priority 10 after which an app's question comes back under a running card; nil for never.
  ///
  /// Observed once, without a number: many may raise it. Assumed: the card goes on meanwhile.
  package var asksAgainAfter: UInt32?

  package init() {}
}
