import Timeline

/// A broadcast channel that exists.
package struct Channel: Hashable, Sendable {
  package let id: ChannelID
  package let policy: StoragePolicy
  /// The index of the channel in the order of creation within its owner, from 0.
  package let number: UInt64
  package let createdAt: Instant
}

/// The owner of a channel: an app in one of the two environments.
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

/// The status of a channel id for one owner.
package enum ChannelStatus: Hashable, Sendable {
  /// Never created for this owner, or deleted so long ago that it is forgotten.
  case unknown
  case live(Channel)
  case deleted

  package var channel: Channel? {
    if case .live(let channel) = self { channel } else { nil }
  }
}

/// Which messages APNs stores for devices that are offline. Chosen when the channel is created; it cannot be changed.
///
/// Documented: the numbers and their meaning ("Sending channel management requests to APNs").
package enum StoragePolicy: Int, CaseIterable, Hashable, Sendable {
  /// "No Message Stored": every broadcast must have `apns-expiration: 0`.
  case none = 0
  /// "Most Recent Message Stored".
  case mostRecent = 1

  /// Maximum time that the most recent message is stored. Documented: 8 hours.
  package static let longestStorage: Duration = .seconds(8 * 3600)
}
