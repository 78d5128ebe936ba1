/// One rule of APNs about broadcasts and channels, by what it demands.
///
/// The rules about the provider's token and key are those of `Rule`; they are looked at after `front`.
package enum ChannelRule: String, CaseIterable, Hashable, Sendable {
  case noDuplicateHeaders
  case knownPath
  case knownMethod
  case bareBundleID
  case appOfTeam
  case broadcastEnabled
  case requestID
  case channelPresent
  case channelWellFormed
  case channelIssued
  case channelRegistered
  case channelFound
  case expirationPresent
  case expirationOfUnstored
  case priority
  case payloadPresent
  case payloadSize
  case payloadReadable
  case attributesKnown
  case storagePolicy
  case pushTypePresent
  case pushTypeKnown
  case roomForChannel

  /// Looked at before the provider's token, as for a push.
  package static let front: [ChannelRule] = [.noDuplicateHeaders, .knownPath, .knownMethod]

  /// The order in which faults are reported, once the provider is known.
  ///
  /// Documented: authentication, then the channel ("Sending broadcast push notification requests to APNs"). Assumed for
  /// the rest: Apple publishes no order. The app comes first since its reason is about the provider, and the channel
  /// before the headers since one of them is judged by the channel's policy.
  package static func order(for operation: ChannelOperation) -> [ChannelRule] {
    let app: [ChannelRule] = [.bareBundleID, .appOfTeam, .broadcastEnabled]
    return switch operation {
    case .publish:
      app + [
        .channelPresent, .channelWellFormed, .channelIssued, .channelRegistered, .pushTypePresent, .pushTypeKnown,
        .expirationPresent, .expirationOfUnstored, .priority, .requestID, .payloadPresent, .payloadSize,
      ]
    case .create:
      app + [
        .requestID, .payloadPresent, .payloadSize, .payloadReadable, .attributesKnown, .storagePolicy,
        .pushTypePresent, .pushTypeKnown, .roomForChannel,
      ]
    case .read: app + [.requestID, .channelPresent, .channelWellFormed, .channelRegistered]
    case .delete: app + [.requestID, .channelPresent, .channelWellFormed, .channelFound]
    case .list: app + [.requestID]
    }
  }

  /// What APNs says when the rule is broken.
  package var reason: RejectionReason {
    switch self {
    case .noDuplicateHeaders: .duplicateHeaders
    case .knownPath, .channelFound: .badPath
    case .knownMethod: .methodNotAllowed
    case .bareBundleID: .topicDisallowed
    case .appOfTeam: .topicMismatch
    case .broadcastEnabled: .broadcastFeatureNotEnabled
    case .requestID: .badMessageID
    case .channelPresent: .missingChannelID
    case .channelWellFormed, .channelIssued: .badChannelID
    case .channelRegistered: .channelNotRegistered
    case .expirationPresent, .expirationOfUnstored: .badExpirationDate
    case .priority: .badPriority
    case .payloadPresent: .payloadEmpty
    case .payloadSize: .payloadTooLarge
    case .payloadReadable: .badRequestPayload
    case .attributesKnown: .badRequestParams
    case .storagePolicy: .missingChannelQueueSize
    case .pushTypePresent: .missingPushType
    case .pushTypeKnown: .invalidPushType
    case .roomForChannel: .cannotCreateChannelConfig
    }
  }
}

/// The rules of broadcasts and channels that are disputed or worth bending.
///
/// Apart from `Rulebook`, which every push carries along.
package struct ChannelRulebook: Hashable, Sendable {
  /// Bundle ids whose broadcast capability is off. Assumed: that of an app in the fleet is on.
  package var disabled: Set<String> = []
  /// Refuses a broadcast without `apns-priority`. Documented: the header is required. Assumed: its reason.
  package var priorityRequired = true
  /// Channels that an app may have in an environment. Documented: 10,000.
  package var channelsPerApp = ChannelRegistry.mostPerHome

  package init() {}
}
