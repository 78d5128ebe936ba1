/// A rule of APNs for broadcasts and channels.
///
/// The rules for the provider's token and key are those of `Rule`; they are checked after `front`.
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
  case broadcastRate
  case payloadReadable
  case attributesKnown
  case storagePolicy
  case pushTypePresent
  case pushTypeKnown
  case roomForChannel
  /// Checked by the world, which counts the broadcasts on their way.
  case roomForBroadcast

  /// Checked before the provider's token, as for a push.
  package static let front: [ChannelRule] = [.noDuplicateHeaders, .knownPath, .knownMethod]

  /// The order in which rules are checked after the provider is known.
  ///
  /// Documented: authentication, then the channel ("Sending broadcast push notification requests to APNs"). Assumed for
  /// the rest: Apple publishes no order. The app comes first because its reason is about the provider. The channel
  /// comes before the headers because one header is checked against the channel's policy.
  package static func order(for operation: ChannelOperation) -> [ChannelRule] {
    let app: [ChannelRule] = [.bareBundleID, .appOfTeam, .broadcastEnabled]
    return switch operation {
    case .publish:
      app + [
        .channelPresent, .channelWellFormed, .channelIssued, .channelRegistered, .pushTypePresent, .pushTypeKnown,
        .expirationPresent, .expirationOfUnstored, .priority, .requestID, .payloadPresent, .payloadSize,
        .broadcastRate,
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

  /// The reason in the answer when the rule is broken.
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
    case .broadcastRate, .roomForBroadcast: .tooManyRequests
    case .payloadReadable: .badRequestPayload
    case .attributesKnown: .badRequestParams
    case .storagePolicy: .missingChannelQueueSize
    case .pushTypePresent: .missingPushType
    case .pushTypeKnown: .invalidPushType
    case .roomForChannel: .cannotCreateChannelConfig
    }
  }
}

/// Configurable rules of broadcasts and channels: those that are disputed or useful to change.
///
/// Separate from `Rulebook`, which every push carries.
package struct ChannelRulebook: Hashable, Sendable {
  /// Bundle ids whose broadcast capability is off. Assumed: it is on for every app of the fleet.
  package var disabled: Set<String> = []
  /// Rejects a broadcast without `apns-priority`. Documented: the header is required. Assumed: the reason.
  package var priorityRequired = true
  /// Channels that an app may have in an environment. Documented: 10,000.
  package var channelsPerApp = ChannelRegistry.mostPerHome

  /// Lists all channels not only at `all-channels`, but also at `channels` if the request has no channel id.
  /// docs/behavior/channels.md#listing-channels
  package var listsAtBothPaths = true

  /// Broadcasts to one channel; no limit unless set.
  package var broadcastRate = BroadcastRate()

  package init() {}
}

/// The number of broadcasts that one channel accepts, by its storage policy.
///
/// Documented: 429 `TooManyRequests` exists, and a channel without message storage allows more. The limits are not
/// published.
package struct BroadcastRate: Hashable, Sendable {
  package enum Period: String, CaseIterable, Hashable, Sendable {
    case second = "s"
    case minute = "m"
    case hour = "h"

    var duration: Duration {
      switch self {
      case .second: .seconds(1)
      case .minute: .seconds(60)
      case .hour: .seconds(3600)
      }
    }
  }

  /// A number in a period; 0 for no limit.
  package struct Limit: Hashable, Sendable {
    package let count: Int
    package let period: Period

    package init(_ count: Int, per period: Period = .second) {
      self.count = count
      self.period = period
    }
  }

  package var unstored: Limit
  package var stored: Limit

  package init(unstored: Limit = Limit(0), stored: Limit = Limit(0)) {
    self.unstored = unstored
    self.stored = stored
  }

  func limit(_ policy: StoragePolicy, burst: Int) -> RequestRate? {
    let limit = policy == .none ? unstored : stored
    return limit.count > 0 ? RequestRate(limit.count, in: limit.period.duration, burst: burst) : nil
  }
}
