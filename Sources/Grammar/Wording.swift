import WireFormats

/// Wording shared by sentences for users.
package enum Wording {
  /// Maximum length of a user's own text when a sentence repeats it.
  private static let longest = 80

  /// A user's text in quotes, cut, with escapes such as `\u{1b}` in place of control characters.
  package static func quoted(_ text: String) -> String {
    let shown = text.prefix(longest).unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }.joined()
    return text.count <= longest ? "\"\(shown)\"" : "\"\(shown)…\""
  }

  /// `a, b and c`.
  package static func list(_ words: [String], _ last: String = "and") -> String {
    guard words.count > 1, let end = words.last else { return words.first ?? "nothing" }
    return words.dropLast().joined(separator: ", ") + " \(last) \(end)"
  }

  /// A spelling suggestion as the end of a sentence, or a full stop if no known word is close.
  package static func suggestion(for text: String, among words: [String]) -> String {
    SpellingSuggestion.nearest(to: text, among: words).map { "; did you mean \($0)?" } ?? "."
  }
}
