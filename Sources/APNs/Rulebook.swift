import Timeline

/// The configurable rules of APNs: those that are disputed, unpublished or useful to change, each with its default.
package struct Rulebook: Hashable, Sendable {
  /// Rejects DER signatures, an `iat` that is not an integer, and base64 that is padded or has the standard alphabet.
  ///
  /// Observed: Apple accepts the first two (a trace of 2022 with a 70-byte DER signature got 200); one project of 2026
  /// says that DER is rejected. Inferred: base64, from a2 (docs/behavior/requests.md#providertokenwellformed).
  package var strictProviderTokens = false
  /// The time for which a provider token is valid after its `iat`. Documented: one hour.
  package var providerTokenLife: Duration = .seconds(3600)
  /// The maximum time by which an `iat` may be ahead of the wall clock. Assumed from "at most one hour from now".
  package static let providerTokenLead: Duration = .seconds(3600)
  /// Number of provider token changes allowed within the window. Assumed: one; "more than two" was also observed.
  package var tokenUpdatesAllowed = 1
  /// Documented: no more often than every 20 minutes.
  package var tokenUpdateWindow: Duration = .seconds(20 * 60)
  /// Counts token changes per key over all connections too, as a sharded Apple front end might at worst.
  package var countTokenUpdatesPerKey = false
  /// The reason for a suffix that does not match the push type. Observed: for a VoIP token; assumed: for other services
  /// (docs/behavior/requests.md#topicsuffixmatchespushtype).
  package var suffixMismatch: RejectionReason = .invalidPushType
  /// The reason for a topic that has the suffix of a push type twice, which is no app's topic.
  ///
  /// Disputed: dotAPNS issue 90 saw `DeviceTokenNotForTopic` (docs/behavior/requests.md#topicallowed).
  package var doubledSuffix: RejectionReason = .topicDisallowed
  /// Rejects a background push of another priority than 5, and an empty `apns-collapse-id`.
  ///
  /// Disputed: Apple documents the priority as an error, and developers saw it accepted.
  package var strictHeaders = false
  /// Answers an unknown device token with 404 `BadPath`, as some articles say; Apple answers 400 `BadDeviceToken`
  /// (docs/behavior/requests.md#devicetokenknown).
  package var unknownTokenIsNotFound = false
  /// Answers an `update` or `end` to a push-to-start token with `DeviceTokenNotForTopic`, as one source says; according
  /// to another, nothing happens (docs/behavior/dropped-pushes.md#wrong-token-kind).
  package var startTokensOnlyStart = false
  /// The answer to a client whose certificate is rejected. Disputed: an alert or GOAWAY when the connection opens in
  /// traces, 403 in Apple's table (docs/behavior/connections.md#a-certificate-of-the-other-environment).
  package var refusedCertificate = RefusedCertificate.alert
  /// The answer to a Live Activity that is sent by certificate
  /// (docs/behavior/requests.md#live-activities-by-certificate).
  package var certificateLiveActivities = CertificateLiveActivities.refuse
  /// Requests per second for one token of each kind; nil for no limit.
  ///
  /// Observed: "about one update per second per activity" (staff answer, forum thread 827808). Assumed: no limit for
  /// the other kinds.
  package var updateTokenRate: RequestRate? = RequestRate(perSecond: 1, burst: 10)
  package var otherTokenRate: RequestRate?
  /// Number of requests to one token that may arrive at once after a pause, if its rate is limited. Assumed: ten.
  package var tokenBurst = 10 {
    didSet {
      updatesPerSecond = updatesPerSecond
      othersPerSecond = othersPerSecond
    }
  }
  /// Number of rejections on one connection, not counting 410, after which it is dropped; nil for never.
  ///
  /// Documented: APNs drops connections with many errors, and publishes neither how many nor how.
  package var errorsPerConnection: UInt32?
  /// Allows a connection one stream at a time after a rejection, not counting 410, until the next push is accepted.
  ///
  /// Observed: pushy issue 732.
  package var narrowsStreams = false
  /// The time for which a sender is blocked that opens and closes connections in a loop or floods a device; nil for
  /// never.
  ///
  /// Documented: APNs may do so, and publishes neither from when nor for how long.
  package var block: Duration?

  package init() {}
}

extension Rulebook {
  /// Requests per second to one update token; 0 if unlimited.
  package var updatesPerSecond: Int {
    get { updateTokenRate?.perSecond ?? 0 }
    set { updateTokenRate = rate(newValue) }
  }

  /// Requests per second to one token of any other kind; 0 if unlimited.
  package var othersPerSecond: Int {
    get { otherTokenRate?.perSecond ?? 0 }
    set { otherTokenRate = rate(newValue) }
  }

  private func rate(_ perSecond: Int) -> RequestRate? {
    perSecond > 0 ? RequestRate(perSecond: perSecond, burst: tokenBurst) : nil
  }
}

/// The way in which a client learns that its certificate is rejected.
package enum RefusedCertificate: String, CaseIterable, Hashable, Sendable {
  /// The first request returns 403, and GOAWAY follows.
  case answer
  /// GOAWAY follows the first SETTINGS frame; no request is answered.
  case goAway
  /// The TLS handshake fails with an alert if the certificate has expired, was revoked or has an unknown authority; any
  /// other flaw is answered 403.
  case alert
}

/// The answer to a push for a Live Activity on a connection with a certificate for its app.
package enum CertificateLiveActivities: String, CaseIterable, Hashable, Sendable {
  /// 400 `TopicDisallowed`.
  case refuse
  /// 200, and nothing is delivered.
  case drop
}
