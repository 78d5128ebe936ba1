import APNs
import Devices
import Timeline
import WireFormats

/// The criteria that select a session's pushes, taken from what real clients send anyway.
extension Filter {
  package var takesAll: Bool { keys == nil && topics == nil && devices == nil }

  /// True if a broadcast, or a request about channels, has the scope's key and app. Neither has a device.
  func hears(of record: ChannelRecord) -> Bool { hears(key: record.keyNumber, app: record.home.bundleID) }

  func hears(key: Int?, app: String) -> Bool {
    if let keys, !keys.contains(where: { $0.number == key }) { return false }
    return topics?.contains { $0.text == app || $0.text == app + TopicSuffix.liveActivity.text } ?? true
  }

  /// True if some push could match both filters: false only if a criterion that both have is disjoint.
  package func overlaps(_ other: Filter) -> Bool {
    if let mine = keys, let theirs = other.keys, !mine.contains(where: { theirs.contains($0) }) { return false }
    if let mine = devices, let theirs = other.devices, Set(mine).isDisjoint(with: theirs) { return false }
    if let mine = topics, let theirs = other.topics,
      !mine.contains(where: { topic in theirs.contains { topic.overlaps($0) } })
    {
      return false
    }
    return true
  }
}

/// A topic of a session: an app's bundle id, which includes every service of the app, or a topic with its suffix, for
/// that service only.
package struct SessionTopic: Hashable, Sendable {
  package let text: String
  package let bundleID: String
  private let bytes: [UInt8]
  private static let suffixes: [[UInt8]] = TopicSuffix.allCases.map { Array($0.text.utf8) }

  /// Nil if the text is not a valid topic.
  package init?(_ text: String) {
    guard let topic = Topic(text) else { return nil }
    self.text = text
    bundleID = topic.bundleID
    bytes = Array(text.utf8)
  }

  /// True if the `apns-topic` at `range` in the bytes of a request matches.
  func matches(_ request: Span<UInt8>, _ range: Range<Int>) -> Bool {
    let end = range.lowerBound + bytes.count
    guard end <= range.upperBound, request.holds(range.lowerBound..<end, bytes.span) else { return false }
    if end == range.upperBound { return true }
    return Self.suffixes.contains { request.holds(end..<range.upperBound, $0.span) }
  }

  /// True if some push could match both topics.
  func overlaps(_ other: SessionTopic) -> Bool {
    matches(other.bytes.span, 0..<other.bytes.count) || other.matches(bytes.span, 0..<bytes.count)
  }
}

/// The attributes of a push that decide about its session, as far as they are known.
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

  /// True if validation read both the key and the device.
  var isWhole: Bool { key != nil && device != nil }

  /// Adds what validation did not read of a rejected push: the key named in its token, and the device of the token in
  /// its path.
  mutating func complete(_ push: ParsedPush, fleet: Fleet, keyRing: KeyRing) {
    if key == nil, let value = push.authorizationRange {
      let text = push.text(value)
      if let space = text.firstIndex(of: " ") {
        let token = Array(text[space...].drop { $0 == " " }.utf8)
        let presented = try? ProviderToken(token.span, 0..<token.count, strict: false)
        key = presented.flatMap { keyRing.number(of: $0.keyID) }
      }
    }
    if device == nil, let range = push.tokenRange {
      let storage = push.request.storage
      device = DeviceToken(storage.span, range).flatMap { fleet.address(of: $0)?.device }
    }
  }
}
