import Timeline

/// A broadcast channel that has been made and not deleted.
package struct Channel: Hashable, Sendable {
  package let id: ChannelID
  package let policy: StoragePolicy
  /// Its place in the order of creation within its home, from 0.
  package let number: UInt64
  package let createdAt: Instant
}

/// Where a channel belongs: an app in one of the two environments.
///
/// Documented: channels of sandbox and production are separate ("Sending channel management requests to APNs").
package struct ChannelOwner: Hashable, Sendable {
  package let environment: Environment
  package let bundleID: String

  package init(_ environment: Environment, _ bundleID: String) {
    self.environment = environment
    self.bundleID = bundleID
  }
}

/// What is known of a channel id in one home.
package enum ChannelStatus: Hashable, Sendable {
  /// Never made there, or deleted so long ago that it is forgotten.
  case unknown
  case live(Channel)
  case deleted

  package var channel: Channel? {
    if case .live(let channel) = self { channel } else { nil }
  }
}

/// What APNs keeps of a channel's messages for devices that are away; chosen when the channel is made, for good.
///
/// Documented: the numbers and their meaning ("Sending channel management requests to APNs").
package enum StoragePolicy: Int, CaseIterable, Hashable, Sendable {
  /// "No Message Stored": every broadcast must say `apns-expiration: 0`.
  case none = 0
  /// "Most Recent Message Stored".
  case mostRecent = 1

  /// How long the most recent message is kept at most. Documented: 8 hours.
  package static let longestStorage: Duration = .seconds(8 * 3600)
}
