import Timeline

/// A broadcast channel that has been made and not deleted.
package struct Channel: Hashable, Sendable {
  package let id: ChannelID
  package let policy: StoragePolicy
  /// Its place in the order of creation within its home, from 0.
  package let number: UInt64
  package let createdAt: Instant
}
