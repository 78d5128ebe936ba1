import Timeline

/// The rules of APNs that are disputed, unpublished or worth bending, each with the default of our reference.
package struct Rulebook: Hashable, Sendable {
  /// Order in which faults are looked for.
  package var order: [Rule] = Rule.standardOrder
  /// Refuses DER signatures and an `iat` that is no integer.
  ///
  /// Observed: Apple accepts both (a trace of 2022 with a 70-byte DER signature got 200); one project of 2026 says
  /// that DER is refused.
  package var strictProviderTokens = false
  /// How long a provider token is good after its `iat`. Documented: one hour.
  package var providerTokenLife: Duration = .seconds(3600)
  /// How far ahead of the wall clock an `iat` may be. Assumed from "at most one hour from now".
  package var providerTokenLead: Duration = .seconds(3600)
  /// Changes of provider token allowed within the window. Assumed: one; "more than two" was also observed.
  package var tokenUpdatesAllowed = 1
  /// Documented: no more often than every 20 minutes.
  package var tokenUpdateWindow: Duration = .seconds(20 * 60)
  /// Counts token updates per key over all connections too, as a sharded Apple front would in its worst hour.
  package var countTokenUpdatesPerKey = false
  /// Assumed: Apple names no reason for a suffix that disagrees with the push type.
  package var suffixMismatch: RejectionReason = .badTopic
  /// Answers an unknown device token with 404 `BadPath`, as some articles have it; Apple answers 400 `BadDeviceToken`
  /// (docs/behavior/requests.md#devicetokenknown).
  package var unknownTokenIsNotFound = false
  /// Answers an `update` or `end` on a push-to-start token with `DeviceTokenNotForTopic`, as one source has it; by
  /// another nothing happens (docs/behavior/dropped-pushes.md#wrong-token-kind).
  package var startTokensOnlyStart = false
  /// What a client with a certificate that is refused gets. Disputed: 403 in Apple's table, GOAWAY as the connection
  /// opens in traces (docs/behavior/connections.md#a-certificate-of-the-other-environment).
  package var refusedCertificate = RefusedCertificate.answer
  /// What becomes of a Live Activity that is sent by certificate
  /// (docs/behavior/requests.md#live-activities-by-certificate).
  package var certificateLiveActivities = CertificateLiveActivities.refuse
  /// Requests per second for one token of each kind; nil for no limit.
  ///
  /// Observed: "about one update per second per activity" (staff answer, forum thread 827808). Assumed: no limit for
  /// the other kinds, and a burst of ten.
  package var updateTokenRate: RequestRate? = RequestRate(perSecond: 1, burst: 10)
  package var otherTokenRate: RequestRate?

  package init() {}
}

/// How a client learns that its certificate is refused.
package enum RefusedCertificate: String, CaseIterable, Hashable, Sendable {
  /// Its first request is answered 403, and GOAWAY follows.
  case answer
  /// GOAWAY follows the first SETTINGS frame; no request is answered.
  case goAway
}

/// What becomes of a push for a Live Activity on a connection with a certificate, which is good for its app.
package enum CertificateLiveActivities: String, CaseIterable, Hashable, Sendable {
  /// 400 `TopicDisallowed`.
  case refuse
  /// 200, and nothing is delivered.
  case drop
}

/// How many requests a token takes.
package struct RequestRate: Hashable, Sendable {
  package let perSecond: Int
  /// Requests that may come at once after a rest.
  package let burst: Int

  /// - Precondition: both are positive.
  package init(perSecond: Int, burst: Int) {
    precondition(perSecond > 0 && burst > 0, "a rate is positive; no limit is nil")
    self.perSecond = perSecond
    self.burst = burst
  }

  /// Nanoseconds that one request uses up.
  package var interval: Int64 { 1_000_000_000 / Int64(perSecond) }
}

/// The rules in their order, parted before the first that asks a phone.
struct RuleOrder: Sendable {
  let examined: [Rule]
  /// The first that asks a phone, and all behind it, whatever they ask.
  let rest: [Rule]
  /// Whether all of these ask a phone.
  let asksOnlyPhones: Bool

  init(_ order: [Rule]) {
    let place = order.firstIndex(where: \.asksPhone) ?? order.count
    examined = Array(order[..<place])
    rest = Array(order[place...])
    asksOnlyPhones = rest.allSatisfy(\.asksPhone)
  }
}
