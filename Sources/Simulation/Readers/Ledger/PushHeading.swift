import APNs
import Devices
import WireFormats

/// The news of a push, in a line for lists and reports.
package struct PushHeading: Sendable {
  /// The `aps.event` of a Live Activity.
  package private(set) var event: String?
  /// The alert's title and body, as far as they are literal.
  package private(set) var alert: String?
  /// The keys of the content state that the push has changed on the card, such as `home 0→1`. All keys, such as
  /// `home 1`, if there is no card to compare them with.
  package private(set) var content: String?

  /// Number of characters that are shown of a text, and of a value of the content state.
  private static let most = 160
  private static let mostOfValue = 24

  /// - Parameter readsContent: false leaves `content` nil, which costs more than the rest.
  package init(_ record: PushRecord, readsContent: Bool = true) {
    let storage = record.push.request.storage
    var state: JSONValue?
    _ = try? JSONNode.read(storage.span, in: record.push.payloadRange) { root in
      guard let aps = root["aps"] else { return }
      event = aps["event"]?.string.map { String($0.prefix(Self.most)) }
      if readsContent { state = aps["content-state"]?.whole }
      guard let alert = aps["alert"] else { return }
      let parts = alert.string.map { [$0] } ?? [Self.line(alert["title"]), Self.line(alert["body"])].compactMap(\.self)
      self.alert = Self.cut(parts.filter { !$0.isEmpty }.joined(separator: " — "))
    }
    content = state.flatMap { Self.words($0, before: Self.before(record)?.value("content-state")) }
  }

  /// A Live Activity's texts may be localized by key.
  private static func line(_ node: JSONNode?) -> String? { node?.string ?? node?["loc-key"]?.string }

  /// The content of the card before the push.
  private static func before(_ record: PushRecord) -> ActivityContent? {
    switch record.fate.reaction {
    case .updated(_, _, let before), .ended(_, _, _, let before): before.content
    default: nil
    }
  }

  /// The changes from one content state to the next in a line.
  static func words(_ state: JSONValue, before: JSONValue?) -> String? {
    let new = leaves(state, "")
    guard let before else { return cut(new.map { "\($0.key) \($0.value)" }.joined(separator: ", ")) }
    let old = leaves(before, "")
    let known = Dictionary(old.map { ($0.key, $0.value) }) { $1 }
    let named = Set(new.map(\.key))
    let changed = new.filter { known[$0.key] != $0.value }.map { "\($0.key) \(known[$0.key] ?? "–")→\($0.value)" }
    let gone = old.filter { !named.contains($0.key) }.map { "\($0.key) \($0.value)→–" }
    let all = changed + gone
    return all.isEmpty ? "no change" : cut(all.joined(separator: ", "))
  }

  private static func cut(_ text: String) -> String? { text.isEmpty ? nil : String(text.prefix(most)) }

  /// The values of an object with their key paths. Lists are values.
  private static func leaves(_ value: JSONValue, _ prefix: String) -> [(key: String, value: String)] {
    (value.members ?? []).flatMap { member -> [(key: String, value: String)] in
      let key = prefix + member.key
      if member.value.members != nil { return leaves(member.value, key + ".") }
      let text = member.value.string ?? member.value.text
      return [(key, text.count > mostOfValue ? text.prefix(mostOfValue) + "…" : text)]
    }
  }
}
