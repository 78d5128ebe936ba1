import APNs
import Devices
import WireFormats

/// What a session's pushes are told by: what real clients send already. All that is given must hold.
package struct SessionScope: Hashable, Sendable {
  package struct Key: Hashable, Sendable {
    package let id: String
    /// Its number on the key ring.
    package let number: Int

    package init(id: String, number: Int) {
      self.id = id
      self.number = number
    }
  }

  /// Nil for all, as are the others.
  package var keys: [Key]?
  package var topics: [SessionTopic]?
  package var devices: Set<DeviceID>?

  package init() {}

  package var takesAll: Bool { keys == nil && topics == nil && devices == nil }

  /// How a push and a scope go together.
  enum Match: Hashable, Sendable {
    /// Something that is known of it speaks against it.
    case foreign
    /// Nothing does, and something speaks for it, but not all that is given could be known of it.
    case likely
    case sure
  }

  func match(_ traits: PushTraits, _ push: ExaminedPush) -> Match {
    var known = 0
    var unknown = 0
    if let keys {
      if let key = traits.key {
        guard keys.contains(where: { $0.number == key }) else { return .foreign }
        known += 1
      } else {
        unknown += 1
      }
    }
    if let devices {
      if let device = traits.device {
        guard devices.contains(device) else { return .foreign }
        known += 1
      } else {
        unknown += 1
      }
    }
    if let topics {
      if let topic = push.topicRange {
        let storage = push.request.storage
        guard topics.contains(where: { $0.covers(storage.span, topic) }) else { return .foreign }
        known += 1
      } else {
        unknown += 1
      }
    }
    if unknown == 0 { return .sure }
    return known > 0 ? .likely : .foreign
  }

  /// Whether the two could both take the same push: they cannot where they have nothing in common of a kind that both
  /// are told by.
  package func meets(_ other: SessionScope) -> Bool {
    if let mine = keys, let theirs = other.keys, !mine.contains(where: { theirs.contains($0) }) { return false }
    if let mine = devices, let theirs = other.devices, mine.isDisjoint(with: theirs) { return false }
    if let mine = topics, let theirs = other.topics,
      !mine.contains(where: { topic in theirs.contains { topic.meets($0) } })
    {
      return false
    }
    return true
  }
}
