extension Rule {
  /// What the rule demands, in a sentence a backend developer understands.
  package var sentence: String {
    switch self {
    case .noDuplicateHeaders: "No apns-* header and no authorization header may be repeated."
    case .knownPath: "The path must be /3/device/<device token>."
    case .methodIsPost: "A push is sent with POST."
    case .certificateSound:
      "A client certificate must be one of `pushpit certs provider` or `certs add`, in its time and not revoked."
    case .certificateOfThisEnvironment: "A client certificate must be for this environment (sandbox or production)."
    case .providerTokenPresent: "A request needs the header `authorization: bearer <provider token>`."
    case .providerTokenWellFormed:
      "A provider token is a JWT in three base64url parts without padding, with alg ES256, kid, iss, iat and no crit."
    case .providerTokenUpdates:
      "A connection may change its provider token once in 20 minutes by arrival; keep one for 20 to 60 minutes."
    case .providerKeyKnown: "The kid of the provider token must be a registered key (`pushpit keys list`)."
    case .providerTeamMatchesKey: "The iss of the provider token must be the team that owns the key."
    case .providerSignature: "The signature must be ES256 by the private key that belongs to the kid."
    case .oneTeamPerConnection: "The first push binds a connection to its team; another team needs another connection."
    case .providerTokenNotFromFuture: "The iat of a provider token may be at most one hour ahead, in seconds."
    case .providerTokenFresh: "A provider token is good for one hour from its iat."
    case .keyOfThisEnvironment: "The key must be registered for this environment (sandbox or production)."
    case .keyRelatedToConnection: "All pushes of a connection use the key of its first push, or the one related to it."
    case .topicPresent: "With a provider token, or a certificate of several topics, the apns-topic header is required."
    case .topicWellFormed: "A topic is a bundle id, with the suffix of the push type."
    case .topicAllowed:
      "The topic's app must belong to the key's team and its topics; a certificate must have the topic itself."
    case .messageID: "apns-id must be a UUID in its canonical form 8-4-4-4-12."
    case .pushTypeKnown: "apns-push-type must be one of Apple's eleven words."
    case .topicSuffixMatchesPushType: "The topic's suffix must be that of the push type."
    case .priority: "apns-priority is 10, 5 or 1; a background push takes 5 only, a Live Activity 5 or 10."
    case .expiration: "apns-expiration is a whole number of seconds since 1970, or 0."
    case .collapseID: "apns-collapse-id has at most 64 bytes."
    case .deviceTokenPresent: "The path must end with a device token."
    case .payloadPresent: "A push needs a body."
    case .payloadSize: "A body has at most 4,096 bytes, 5,120 for VoIP."
    case .deviceTokenKnown: "The token must be one that this environment has issued."
    case .deviceTokenNotExpired: "A Live Activity's update token lives for 8 hours."
    case .deviceTokenRegistered:
      "The token must still be registered: app installed, activity not over, not rotated away."
    case .deviceTokenForTopic: "The token must belong to the topic's app and service."
    case .requestRate: "One token takes only so many requests per second."
    }
  }

  package var evidence: Evidence { source.told(in: "requests.md#\(rawValue.lowercased())") }

  private var source: Evidence {
    let responses = "Apple, Handling notification responses from APNs"
    let requests = "Apple, Sending notification requests to APNs"
    let tokens = "Apple, Establishing a token-based connection to APNs"
    return switch self {
    case .noDuplicateHeaders: .documented(responses + "; which headers count is assumed")
    case .knownPath, .methodIsPost, .deviceTokenPresent, .payloadPresent: .documented(responses)
    case .certificateSound: .documented(responses)
    case .certificateOfThisEnvironment: .disputed(responses + ": 403; GOAWAY at once in apns2 issue 93")
    case .providerTokenPresent: .documented(responses)
    case .providerTokenWellFormed: .documented(tokens + "; crit: RFC 7515, section 4.1.11")
    case .providerTokenUpdates: .disputed(tokens + ": 20 min; what counts differs in forum threads 675879, 770438")
    case .providerKeyKnown, .providerSignature: .documented(responses)
    case .providerTeamMatchesKey: .observed("pushy issue 914; dotAPNS pull request 85")
    case .oneTeamPerConnection: .observed("forum threads 72999, 687789; the rule is documented, the reason is not")
    case .providerTokenNotFromFuture: .assumed("Apple allows one hour of distance from now and names no reason")
    case .providerTokenFresh: .documented(tokens)
    case .keyOfThisEnvironment: .observed("APNSwift pull request 229")
    case .keyRelatedToConnection: .documented(responses)
    case .topicPresent: .documented(requests)
    case .topicWellFormed: .documented(responses + "; which values are bad is assumed")
    case .topicAllowed: .observed("PETL notes; node-apn issue 517")
    case .messageID, .expiration, .collapseID: .documented(requests)
    case .pushTypeKnown: .documented(responses)
    case .topicSuffixMatchesPushType: .assumed("Apple names no reason for it; a setting chooses another")
    case .priority:
      .documented(requests + "; the reason is assumed for a background push of 10 and a Live Activity of 1")
    case .payloadSize: .documented("Apple, Generating a remote notification")
    case .deviceTokenKnown: .documented(responses + "; forum thread 807380")
    case .deviceTokenNotExpired: .observed("on-device study on iOS 26.5: 200 at 7 h 55, 410 ExpiredToken at 8 h")
    case .deviceTokenRegistered: .documented(responses + "; the delay after an uninstall is observed (apns2 issue 77)")
    case .deviceTokenForTopic: .observed("forum thread 807380; PETL notes")
    case .requestRate: .documented(responses + "; the rate is unpublished, 1 per second and activity is a staff answer")
    }
  }
}
