import WireFormats

/// Wording shared by sentences for users.
package enum Wording {
  /// Maximum length of a user's own text when a sentence repeats it.
  private static let longest = 80

  package static func quoted(_ text: String) -> String {
    text.count <= longest ? "\"\(text)\"" : "\"\(text.prefix(longest))…\""
  }

  /// `a, b and c`.
  package static func list(_ words: [String], _ last: String = "and") -> String {
    guard words.count > 1, let end = words.last else { return words.first ?? "nothing" }
    return words.dropLast().joined(separator: ", ") + " \(last) \(end)"
  }

  /// A spelling suggestion as the end of a sentence, or a full stop if no known word is close.
  package static func suggestion(for text: String, among words: [String]) -> String {
    nearestKey(to: text, among: words).map { "; did you mean \($0)?" } ?? "."
  }

  /// The key that replaced another one, or the one with the most similar spelling.
  static func nearestKey(to text: String, among keys: [String]) -> String? {
    replacements.first { $0.former == text && keys.contains($0.key) }?.key
      ?? SpellingSuggestion.nearest(to: text, among: keys)
  }

  /// Keys of earlier versions, and words that are keys elsewhere.
  private static let replacements: [(former: String, key: String)] = [
    ("type", "pushType"), ("to", "tokenKind"), ("kind", "tokenKind"), ("tokenKind", "kind"),
    ("id", "apnsId"), ("name", "event"), ("heal", "deleteFault"), ("state", "online"),
    ("removeFault", "deleteFault"), ("reports", "calls"),
    ("bundleId", "app"), ("app", "bundleId"),
  ]
}
