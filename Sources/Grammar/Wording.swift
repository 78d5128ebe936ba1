import WireFormats

/// How sentences to users name things.
package enum Wording {
  /// Longest piece of a user's own text that is said back.
  private static let longest = 80

  package static func quoted(_ text: String) -> String {
    text.count <= longest ? "\"\(text)\"" : "\"\(text.prefix(longest))…\""
  }

  /// `a, b and c`.
  package static func list(_ words: [String], _ last: String = "and") -> String {
    guard words.count > 1, let end = words.last else { return words.first ?? "nothing" }
    return words.dropLast().joined(separator: ", ") + " \(last) \(end)"
  }

  /// What a wrong word probably meant, as the end of a sentence; empty when nothing is near.
  package static func suggestion(for text: String, among words: [String]) -> String {
    SpellingSuggestion.nearest(to: text, among: words).map { "; did you mean \($0)?" } ?? "."
  }
}
