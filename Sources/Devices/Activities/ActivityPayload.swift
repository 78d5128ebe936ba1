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
  /// Of an end; nil in any other push, which ignores it.
  let dismissalDate: Instant?
  /// Documented: any number; the highest is shown first.
  let relevance: Double
  let attributes: JSONNode?
  let attributesType: JSONNode?
  let inputChannel: JSONNode?
  let asksForToken: Bool
  /// Members that are ignored or in another unit, except the alert and the timestamp.
  let remarks: PayloadRemarks

  /// Nil if the payload has no `aps` object.
  init?(_ root: JSONNode) {
    guard let aps = root["aps"], aps.isObject else { return nil }
    self.root = root
    self.aps = aps
    let parts = aps["event", "content-state", "timestamp", "alert", "stale-date", "relevance-score"]
    contentState = parts.1
    timestamp = parts.2?.double
    alert = parts.3
    let event = parts.0.flatMap(Self.event)
    self.event = event
    var remarks = PayloadRemarks()
    staleDate = remarks.date(parts.4, or: .staleDateValue, .staleDateEpoch)
    relevance = remarks.number(parts.5, or: .relevanceType) ?? 0
    let isThere = (parts.0 != nil, parts.1 != nil, parts.2 != nil, parts.3 != nil, parts.4 != nil, parts.5 != nil)
    let found =
      (isThere.0 ? 1 : 0) + (isThere.1 ? 1 : 0) + (isThere.2 ? 1 : 0) + (isThere.3 ? 1 : 0) + (isThere.4 ? 1 : 0)
      + (isThere.5 ? 1 : 0)
    // Usually every member has been read already, and no search is needed.
    let rest =
      aps.count > found
      ? aps["attributes", "attributes-type", "input-push-channel", "input-push-token", "dismissal-date", "sound"] : nil
    attributes = rest?.0
    attributesType = rest?.1
    inputChannel = rest?.2
    asksForToken = rest?.3 != nil
    if event == .start, let channel = rest?.2, channel.string == nil { remarks.append(.channelType, if: channel) }
    if event == .end {
      dismissalDate = remarks.date(rest?.4, or: .dismissalDateValue, .dismissalDateEpoch)
    } else {
      dismissalDate = nil
      remarks.append(.dismissalDateIgnored, if: rest?.4)
    }
    remarks.append(.soundBesideAlert, if: rest?.5)
    self.remarks = remarks
  }

  /// False for an alert without a readable line, as `AlertContent.hasText` has it, but without a copy of its texts.
  /// Assumed: nobody is alerted then.
  static func canAlert(_ alert: JSONNode) -> Bool {
    guard alert.isObject else { return false }
    let lines = alert["title", "subtitle", "body"]
    return isLine(lines.first) || isLine(lines.second) || isLine(lines.third)
  }

  private static func isLine(_ node: JSONNode?) -> Bool {
    guard let node else { return false }
    return (node.isObject ? node["loc-key"] : node)?.withUTF8 { _ in true } ?? false
  }

  /// Whether an alert is beside `aps`, as in one transcription of Apple's session.
  var hasStrayAlert: Bool { alert == nil && root.count > 1 && root["alert"] != nil }

  /// Whether it has attributes, which are valid only in a start.
  var hasAttributes: Bool { attributes != nil || attributesType != nil }

  private static func event(_ word: JSONNode) -> ActivityEvent? {
    if word.isString("update") { return .update }
    if word.isString("end") { return .end }
    return word.isString("start") ? .start : nil
  }
}

/// Checks of `aps.timestamp`, which counts seconds since 1970.
enum Timestamps {
  static func looksLikeMilliseconds(_ timestamp: Double) -> Bool { DateUnit(of: timestamp) == .milliseconds }

  /// Why a timestamp is too old: names both, and the source of the newer one.
  static func stale(_ timestamp: Double, after newest: Double, of push: UInt64?) -> String {
    let source = push.map { "of push \($0)" } ?? "of its start or its app"
    let words = "\(text(timestamp)) is not after \(text(newest)) \(source)"
    switch (DateUnit(of: timestamp), DateUnit(of: newest)) {
    case (.milliseconds, .milliseconds): return words
    case (_, .milliseconds): return words + ", which looks like milliseconds"
    case (.since2001, .seconds): return words + "; it seems to count from 2001, and must count seconds since 1970"
    default: return words
    }
  }

  private static func text(_ timestamp: Double) -> String {
    Int64(exactly: timestamp).map { "\($0)" } ?? "\(timestamp)"
  }
}
