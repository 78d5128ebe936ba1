import APNs
import Devices
import Timeline
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
        guard topics.contains(where: { $0.matches(storage.span, topic) }) else { return .foreign }
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
  package func overlaps(_ other: SessionScope) -> Bool {
    if let mine = keys, let theirs = other.keys, !mine.contains(where: { theirs.contains($0) }) { return false }
    if let mine = devices, let theirs = other.devices, mine.isDisjoint(with: theirs) { return false }
    if let mine = topics, let theirs = other.topics,
      !mine.contains(where: { topic in theirs.contains { topic.overlaps($0) } })
    {
      return false
    }
    return true
  }
}

/// A topic of a session: an app's bundle id, which takes every service of the app, or a topic with its suffix, which
/// takes that service alone.
package struct SessionTopic: Hashable, Sendable {
  package let text: String
  package let bundleID: String
  private let bytes: [UInt8]
  private static let suffixes: [[UInt8]] = TopicSuffix.allCases.map { Array($0.text.utf8) }

  /// Nil where the text can be no topic.
  package init?(_ text: String) {
    guard let topic = Topic(text) else { return nil }
    self.text = text
    bundleID = topic.bundleID
    bytes = Array(text.utf8)
  }

  /// Whether an `apns-topic`, as it lies in a request's bytes, is meant.
  func matches(_ request: Span<UInt8>, _ range: Range<Int>) -> Bool {
    let end = range.lowerBound + bytes.count
    guard end <= range.upperBound, request.holds(range.lowerBound..<end, bytes.span) else { return false }
    if end == range.upperBound { return true }
    return Self.suffixes.contains { request.holds(end..<range.upperBound, $0.span) }
  }

  /// Whether some push could be meant by both.
  func overlaps(_ other: SessionTopic) -> Bool {
    matches(other.bytes.span, 0..<other.bytes.count) || other.matches(bytes.span, 0..<bytes.count)
  }
}

/// What of a push tells whose it is, as far as it can be known.
struct PushTraits: Hashable, Sendable {
  private(set) var key: Int?
  private(set) var device: DeviceID?

  init(_ record: PushRecord) {
    key = record.keyNumber
    device = record.address?.device
  }

  init(key: Int?, device: DeviceID?) {
    self.key = key
    self.device = device
  }

  /// Whether the gate went through all of it.
  var isWhole: Bool { key != nil && device != nil }

  /// Reads what a gate that refused the push did not come to: the key that its token says it is signed with, and the
  /// device whose token is in its path.
  mutating func complete(_ push: ExaminedPush, _ fleet: Fleet, _ keyRing: KeyRing) {
    if key == nil, let value = push.authorizationRange {
      let text = push.text(value)
      if let space = text.firstIndex(of: " ") {
        let token = Array(text[space...].drop { $0 == " " }.utf8)
        key = ProviderToken(token.span, 0..<token.count, strict: false).flatMap { keyRing.number(of: $0.keyID) }
      }
    }
    if device == nil, let range = push.tokenRange {
      let storage = push.request.storage
      device = DeviceToken(storage.span, range).flatMap { fleet.address(of: $0)?.device }
    }
  }
}
