import APNs
import WireFormats

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
  func covers(_ request: Span<UInt8>, _ range: Range<Int>) -> Bool {
    let end = range.lowerBound + bytes.count
    guard end <= range.upperBound, request.holds(range.lowerBound..<end, bytes.span) else { return false }
    if end == range.upperBound { return true }
    return Self.suffixes.contains { request.holds(end..<range.upperBound, $0.span) }
  }

  /// Whether some push could be meant by both.
  func meets(_ other: SessionTopic) -> Bool {
    covers(other.bytes.span, 0..<other.bytes.count) || other.covers(bytes.span, 0..<bytes.count)
  }
}
