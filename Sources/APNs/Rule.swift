/// A requirement that APNs checks before it accepts a push.
///
/// A rule is a name. Its guard is in `ParsedPush+Rules`, `PushRules` or `RequestValidator`, and `Rule+Evidence` lists
/// how we know it. The order of the cases is the order of the guards, in four groups: the request line, the
/// credential, fields and body, the device token. `OrderOfRefusalTests` compares both.
///
/// Observed, where traces compare two faults: authentication before token and topic (uniqush transcript), topic
/// permission before token and topic match (PETL notes), update count before signature (forum thread 770438), key
/// environment before token (APNSwift pull request 229), token and topic match before push type
/// (react-native-voip-push-notification issue 90). Assumed for the rest; Apple publishes no order.
package enum Rule: String, CaseIterable, Hashable, Sendable {
  case noDuplicateHeaders
  case knownPath
  case methodIsPost
  case certificateSound
  case certificateOfThisEnvironment
  case providerTokenPresent
  case providerTokenWellFormed
  case providerTokenUpdates
  case providerKeyKnown
  case providerTeamMatchesKey
  case providerSignature
  case oneTeamPerConnection
  case providerTokenNotFromFuture
  case providerTokenFresh
  case keyOfThisEnvironment
  case keyRelatedToConnection
  case topicPresent
  case topicWellFormed
  case topicAllowed
  case messageID
  case pushTypeKnown
  case priority
  case expiration
  case collapseID
  case deviceTokenPresent
  case payloadPresent
  case payloadSize
  case deviceTokenKnown
  case deviceTokenNotExpired
  case deviceTokenRegistered
  case deviceTokenForTopic
  case topicSuffixMatchesPushType
  case senderNotBlocked
  case requestRate

  /// True for a rule about the provider's certificate.
  package var isAboutCertificate: Bool {
    switch self {
    case .certificateSound, .certificateOfThisEnvironment: true
    default: false
    }
  }

  /// True for a rule about the provider's credential: its certificate, or its token and key.
  package var isAboutProvider: Bool {
    switch self {
    case .certificateSound, .certificateOfThisEnvironment: true
    case .providerTokenPresent, .providerTokenWellFormed, .providerTokenUpdates, .providerKeyKnown,
      .providerTeamMatchesKey, .providerSignature, .oneTeamPerConnection, .providerTokenNotFromFuture,
      .providerTokenFresh, .keyOfThisEnvironment, .keyRelatedToConnection:
      true
    default: false
    }
  }

  /// The reason in the answer when the rule is broken.
  package func reason(_ rulebook: Rulebook) -> RejectionReason {
    switch self {
    case .noDuplicateHeaders: .duplicateHeaders
    case .knownPath: .badPath
    case .methodIsPost: .methodNotAllowed
    case .certificateSound: .badCertificate
    case .certificateOfThisEnvironment: .badCertificateEnvironment
    case .providerTokenPresent: .missingProviderToken
    case .providerTokenWellFormed, .providerKeyKnown, .providerTeamMatchesKey, .providerSignature,
      .oneTeamPerConnection, .providerTokenNotFromFuture:
      .invalidProviderToken
    case .providerTokenUpdates: .tooManyProviderTokenUpdates
    case .providerTokenFresh: .expiredProviderToken
    case .keyOfThisEnvironment: .badEnvironmentKeyInToken
    case .keyRelatedToConnection: .unrelatedKeyIDInToken
    case .topicPresent: .missingTopic
    case .topicWellFormed: .badTopic
    case .topicAllowed: .topicDisallowed
    case .messageID: .badMessageID
    case .pushTypeKnown: .invalidPushType
    case .topicSuffixMatchesPushType: rulebook.suffixMismatch
    case .priority: .badPriority
    case .expiration: .badExpirationDate
    case .collapseID: .badCollapseID
    case .deviceTokenPresent: .missingDeviceToken
    case .payloadPresent: .payloadEmpty
    case .payloadSize: .payloadTooLarge
    case .deviceTokenKnown: rulebook.unknownTokenIsNotFound ? .badPath : .badDeviceToken
    case .deviceTokenNotExpired: .expiredToken
    case .deviceTokenRegistered: .unregistered
    case .deviceTokenForTopic: .deviceTokenNotForTopic
    case .senderNotBlocked, .requestRate: .tooManyRequests
    }
  }
}
