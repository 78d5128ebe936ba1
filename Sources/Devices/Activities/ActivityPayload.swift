import Timeline
import WireFormats

/// `aps.event` of a Live Activity push.
package enum ActivityEvent: String, Hashable, Sendable {
  case start
  case update
  case end
}

/// The `aps` of a Live Activity push: the members that the phone reads before it decodes attributes or content.
struct ActivityPayload {
  let root: JSONNode
  let aps: JSONNode
  let event: ActivityEvent?
  let contentState: JSONNode?
  /// Seconds since 1970, taken literally: a value in milliseconds is accepted and blocks every later value in seconds.
  /// Assumed from reports of exactly that (firebase-ios-sdk issue 15648).
  let timestamp: Double?
  let alert: JSONNode?
  let staleDate: Instant?
  /// Documented: any number; the highest is shown first.
  let relevance: Double
  /// Number of members of `aps` that were read.
  private let found: Int

  /// Nil if the payload has no `aps` object.
  init?(_ root: JSONNode) {
    guard let aps = root["aps"], aps.isObject else { return nil }
    self.root = root
    self.aps = aps
    let parts = aps["event", "content-state", "timestamp", "alert", "stale-date", "relevance-score"]
    contentState = parts.1
    timestamp = parts.2?.double
    alert = parts.3
    staleDate = Self.instant(parts.4)
    relevance = parts.5?.double ?? 0
    event = parts.0.flatMap(Self.event)
    let isThere = (parts.0 != nil, parts.1 != nil, parts.2 != nil, parts.3 != nil, parts.4 != nil, parts.5 != nil)
    found =
      (isThere.0 ? 1 : 0) + (isThere.1 ? 1 : 0) + (isThere.2 ? 1 : 0) + (isThere.3 ? 1 : 0) + (isThere.4 ? 1 : 0)
      + (isThere.5 ? 1 : 0)
  }

  /// False for an alert without a readable line. Assumed: nobody is alerted then.
  static func canAlert(_ alert: JSONNode) -> Bool {
    var remarks = PayloadRemarks()
    return AlertContent(alert, of: .liveActivity, noting: &remarks)?.hasText ?? false
  }

  /// Whether an alert is beside `aps`, as in one transcription of Apple's session.
  var hasStrayAlert: Bool { alert == nil && root.count > 1 && root["alert"] != nil }

  /// Whether it has attributes, which are valid only in a start.
  var hasAttributes: Bool {
    // Usually every member has been read already, and no search is needed.
    guard aps.count > found else { return false }
    let (first, second) = (aps["attributes"], aps["attributes-type"])
    return first != nil || second != nil
  }

  var dismissalDate: Instant? { Self.instant(aps["dismissal-date"]) }

  private static func event(_ word: JSONNode) -> ActivityEvent? {
    if word.isString("update") { return .update }
    if word.isString("end") { return .end }
    return word.isString("start") ? .start : nil
  }

  private static func instant(_ node: JSONNode?) -> Instant? {
    guard let seconds = node?.double, abs(seconds) < 9e9 else { return nil }
    return Instant(nanoseconds: Int64(seconds * 1e9))
  }
}

/// Checks of `aps.timestamp`, which counts seconds since 1970.
enum Timestamps {
  /// Read as seconds, such a value is in the year 5138 or later; read as milliseconds, in 1973 or later.
  static func looksLikeMilliseconds(_ timestamp: Double) -> Bool { timestamp > 1e11 }

  /// Why a timestamp is too old: names both, and the source of the newer one.
  static func stale(_ timestamp: Double, after newest: Double, of push: UInt64?) -> String {
    let source = push.map { "of push \($0)" } ?? "of its start or its app"
    let kind = looksLikeMilliseconds(newest) && !looksLikeMilliseconds(timestamp)
    let words = "\(text(timestamp)) is not after \(text(newest)) \(source)"
    return kind ? words + ", which looks like milliseconds" : words
  }

  private static func text(_ timestamp: Double) -> String {
    Int64(exactly: timestamp).map { "\($0)" } ?? "\(timestamp)"
  }
}
