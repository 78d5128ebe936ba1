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
