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
    contentState = PayloadRemarks.present(parts.1)
    timestamp = parts.2?.double
    alert = PayloadRemarks.present(parts.3)
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
    attributes = PayloadRemarks.present(rest?.0)
    attributesType = PayloadRemarks.present(rest?.1)
    inputChannel = PayloadRemarks.present(rest?.2)
    asksForToken = PayloadRemarks.present(rest?.3) != nil
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

  /// Members that are ignored or in another unit, those of an alert that is a dictionary too. Any other alert is
  /// ignored as a whole (`Remarks.alertIgnored`).
  var allRemarks: PayloadRemarks {
    guard let alert, alert.isObject else { return remarks }
    var all = remarks
    _ = AlertContent(alert, of: .liveActivity, noting: &all)
    return all
  }

  /// False for an alert that shows no text. Assumed: nobody is alerted then.
  static func canAlert(_ alert: JSONNode) -> Bool {
    guard alert.isObject else { return false }
    let lines = alert["title", "subtitle", "body"]
    // Fast path for nearly every alert: no copy of its texts.
    if isText(lines.first) || isText(lines.second) || isText(lines.third) { return true }
    var unused = PayloadRemarks()
    return AlertContent(alert, of: .liveActivity, noting: &unused)?.hasText ?? false
  }

  private static func isText(_ node: JSONNode?) -> Bool { node?.withUTF8 { !$0.isEmpty } ?? false }

  /// True if its alert alerts nobody: one that cannot, or one beside `aps`, as in one transcription of Apple's session.
  var hasIgnoredAlert: Bool {
    alert.map { !Self.canAlert($0) } ?? (root.count > 1 && PayloadRemarks.present(root["alert"]) != nil)
  }

  /// True if it has attributes, which are valid only in a start.
  var hasAttributes: Bool { attributes != nil || attributesType != nil }

  private static func event(_ word: JSONNode) -> ActivityEvent? {
    if word.isString("update") { return .update }
    if word.isString("end") { return .end }
    return word.isString("start") ? .start : nil
  }
}

/// Checks of `aps.timestamp`, which counts seconds since 1970.
enum Timestamps {
  static func looksLikeMilliseconds(_ timestamp: Double) -> Bool {
    // Not `==`, which would be called through a witness table.
    if case .milliseconds = DateUnit(of: timestamp) { true } else { false }
  }

  /// The reason why a timestamp is too old. It names both timestamps, and the source of the newer one.
  static func stale(_ timestamp: Double, after newest: Double, of push: UInt64?) -> String {
    let source = push.map { " of push \($0)" } ?? ", the second in which the app started or updated it"
    let words = "\(text(timestamp)) is not after \(text(newest))\(source)"
    switch (DateUnit(of: timestamp), DateUnit(of: newest)) {
    case (.milliseconds, .milliseconds): return words
    case (_, .milliseconds): return words + ", which looks like milliseconds"
    case (.since2001, .seconds), (.fromNow, .seconds): return words + hint(timestamp)
    default: return words
    }
  }

  /// Sentence about a timestamp that is too old for any activity; nil for a later timestamp.
  static func ancient(_ timestamp: Double) -> String? {
    guard timestamp < DateUnit.swiftEpoch else { return nil }
    return "\(text(timestamp)) is before 2001" + hint(timestamp)
  }

  private static func hint(_ timestamp: Double) -> String {
    switch DateUnit(of: timestamp) {
    case .since2001: "; it seems to count from 2001, and must count seconds since 1970"
    case .fromNow: "; it seems to count from now, and must count seconds since 1970"
    case .seconds, .milliseconds: ""
    }
  }

  private static func text(_ timestamp: Double) -> String {
    Int64(exactly: timestamp).map { "\($0)" } ?? "\(timestamp)"
  }
}
