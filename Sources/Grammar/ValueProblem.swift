import WireFormats

/// What is wrong with a value; whoever knows where it was written makes an `InputProblem` of it.
package struct ValueProblem: Error {
  /// Such as `a whole number from 1 to 10000000`.
  package let wanted: String
  /// What a misspelt word probably meant.
  package let near: String?

  package init(wanted: String, near: String? = nil) {
    self.wanted = wanted
    self.near = near
  }

  /// One of several words.
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
