import WireFormats

/// The reason why a value is invalid; a caller that knows the place of the value makes an `InputProblem` of it.
package struct ValueProblem: Error {
  /// The valid values, such as `a whole number from 1 to 10000000`.
  package let wanted: String
  /// The known word nearest to a misspelled one.
  package let near: String?

  package init(wanted: String, near: String? = nil) {
    self.wanted = wanted
    self.near = near
  }

  /// The value is an unknown word.
  package init(_ text: String, among words: [String], wanted: String? = nil) {
    self.init(
      wanted: wanted ?? words.joined(separator: " or "), near: SpellingSuggestion.nearest(to: text, among: words))
  }

  /// - Parameter place: a file and its line, a flag, or an environment variable.
  package func of(_ key: String, _ text: String, at place: String) -> InputProblem {
    InputProblem(
      "\(key) must be \(wanted), not \(Wording.quoted(text))" + (near.map { "; did you mean \($0)?" } ?? "."),
      field: key, at: place)
  }
}
