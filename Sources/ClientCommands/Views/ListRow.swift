import WireFormats

/// A row of a list of the admin API, or an object in it.
package struct ListRow: Sendable {
  private let value: JSONValue

  package init(_ value: JSONValue) { self.value = value }

  /// The rows of a page.
  ///
  /// - Parameter list: the name of the list, such as `devices`.
  package static func rows(of page: AdminAPI.Answer, _ list: String) -> [ListRow] { ListRow(page.value).rows(list) }

  /// The value of a key as text; nil for null.
  package func given(_ key: String) -> String? { value[key].flatMap { $0 == .null ? nil : $0.string ?? $0.text } }

  /// The value of a key as text; a hyphen for null.
  package func text(_ key: String) -> String { given(key) ?? "-" }

  /// The time of day, with milliseconds.
  package func time(_ key: String) -> String { String((value[key]?.string ?? "").dropFirst(11).prefix(12)) }

  /// The first digits of an apns-id, as `push show` needs them.
  package func shortID(_ key: String) -> String { String(text(key).prefix(PushListLines.shortID)) }

  package func isTrue(_ key: String) -> Bool { value[key] == .bool(true) }

  package func isFalse(_ key: String) -> Bool { value[key] == .bool(false) }

  /// The objects in the list of a key, or an empty list if the key is missing.
  package func rows(_ key: String) -> [ListRow] { (value[key]?.elements ?? []).map { ListRow($0) } }

  /// The object of a key.
  package func row(_ key: String) -> ListRow { ListRow(value[key] ?? .null) }
}
