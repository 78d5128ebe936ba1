extension Rule {
  /// The rule's requirement, as a sentence for backend developers.
  package var sentence: String {
    switch self {
    case .noDuplicateHeaders: "A request must not repeat apns-* headers or the authorization header."
    case .knownPath: "The path must be /3/device/<device token>."
    case .methodIsPost: "The method must be POST."
    case .certificateSound:
      "A client certificate must be valid, not revoked, and made by `pushpit certs provider` or added with `certs add`."
    case .certificateOfThisEnvironment: "A client certificate must be for this environment (sandbox or production)."
    case .providerTokenPresent: "A request needs the header `authorization: bearer <provider token>`."
    case .providerTokenWellFormed:
      "A provider token must be a JWT: header, claims and signature in base64url, alg ES256, kid, iss, iat, no crit."
    case .providerTokenUpdates:
      "A connection may change its provider token once in 20 minutes; use each token for 20 to 60 minutes."
    case .providerKeyKnown: "The kid of the provider token must name a registered key (`pushpit keys list`)."
    case .providerTeamMatchesKey: "The iss of the provider token must be the team that owns the key."
    case .providerSignature: "The signature must be ES256 by the private key that belongs to the kid."
    case .oneTeamPerConnection: "The first push binds a connection to its team; another team needs another connection."
    case .providerTokenNotFromFuture:
      "The iat of a provider token may be at most one hour ahead of the machine's clock, in seconds."
    case .providerTokenFresh:
      "A provider token is valid for one hour (`rules.providerTokenLife`) after its iat, by the machine's clock."
    case .keyOfThisEnvironment: "The key must be registered for this environment (sandbox or production)."
    case .keyRelatedToConnection: "All pushes of a connection use the key of its first push, or the one related to it."
    case .topicPresent: "The apns-topic header is required with a provider token or a certificate of several topics."
    case .topicWellFormed: "A topic must be a bundle id with the suffix of the push type."
    case .topicAllowed:
      "The topic's app must belong to the key's team, and to the key's topics if it has a list; with a certificate, the"
        + " topic must be one of the certificate's."
    case .messageID: "apns-id must be a UUID in its canonical form 8-4-4-4-12."
    case .pushTypeKnown: "apns-push-type must be one of Apple's eleven push types."
    case .topicSuffixMatchesPushType: "The topic's suffix must match the push type."
    case .priority:
      "apns-priority must be 10 (the default), 5 or 1; for a Live Activity 5 or 10."
    case .expiration: "apns-expiration must be a whole number of seconds since 1970, or 0."
    case .collapseID: "apns-collapse-id must be at most 64 bytes long."
    case .deviceTokenPresent: "The path must end with a device token."
    case .payloadPresent: "A push needs a body."
    case .payloadSize: "The body must be at most 4,096 bytes long, 5,120 for VoIP."
    case .deviceTokenKnown: "The device token must have been issued by this environment."
    case .deviceTokenNotExpired: "A Live Activity's update token is valid for 8 hours."
    case .deviceTokenRegistered:
      "The device token must still be registered: the app is installed, the activity runs, the token was not rotated."
    case .deviceTokenForTopic: "The device token must belong to the topic's app and service."
    case .senderNotBlocked:
      "The sender is not blocked for opening and closing connections in a loop, or for flooding a device."
    case .requestRate: "Requests per second to one device token are limited."
    }
  }

  /// Evidence for the rule; a `Circumstance` may have different evidence.
  package var evidence: Evidence { source.told(in: section) }

  var section: String { "requests.md#\(rawValue.lowercased())" }

  private var source: Evidence {
    let responses = "Apple, Handling notification responses from APNs"
    let requests = "Apple, Sending notification requests to APNs"
    let tokens = "Apple, Establishing a token-based connection to APNs"
    return switch self {
    case .noDuplicateHeaders: .documented(responses + "; assumed: which headers count")
    case .knownPath, .methodIsPost, .deviceTokenPresent, .payloadPresent: .documented(responses)
    case .certificateSound: .documented(responses)
    case .certificateOfThisEnvironment: .disputed(responses + ": 403; GOAWAY at once in apns2 issue 93")
    case .providerTokenPresent: .documented(responses)
    case .providerTokenWellFormed: .documented(tokens + "; crit: RFC 7515, section 4.1.11")
    case .providerTokenUpdates: .disputed(tokens + ": 20 min; what counts differs in forum threads 675879, 770438")
    case .providerKeyKnown, .providerSignature: .documented(responses)
    case .providerTeamMatchesKey: .observed("pushy issue 914; dotAPNS pull request 85")
    case .oneTeamPerConnection: .observed("forum threads 72999, 687789; the rule is documented, the reason is not")
    case .providerTokenNotFromFuture: .assumed("Apple allows one hour of difference from now and names no reason")
    case .providerTokenFresh: .documented(tokens)
    case .keyOfThisEnvironment: .observed("APNSwift pull request 229")
    case .keyRelatedToConnection: .documented(responses)
    case .topicPresent: .documented(requests)
    case .topicWellFormed: .assumed("which values are bad; Apple documents the reason")
    case .topicAllowed: .observed("PETL notes; node-apn issue 517")
    case .messageID, .expiration, .collapseID: .documented(requests)
    case .pushTypeKnown: .documented(responses)
    case .topicSuffixMatchesPushType:
      .observed("apnotic issue 87, PyAPNs2 issue 87, a2 pull request 94: VoIP")
    case .priority: .documented(requests)
    case .payloadSize: .documented("Apple, Generating a remote notification")
    case .deviceTokenKnown: .documented(responses + "; forum thread 807380")
    case .deviceTokenNotExpired: .observed("on-device study on iOS 26.5: 200 at 7 h 55, 410 ExpiredToken at 8 h")
    case .deviceTokenRegistered: .documented(responses + "; the delay after an uninstall is observed (apns2 issue 77)")
    case .deviceTokenForTopic: .observed("forum thread 807380; PETL notes")
    case .senderNotBlocked:
      .documented(
        "Troubleshooting push notifications; assumed: the numbers, the answer, and that a sender is a network address")
    case .requestRate: .documented(responses + "; the rate is unpublished, 1 per second and activity is a staff answer")
    }
  }
}
