import Grammar
import Hunting
import WireFormats

/// Reads `hunt:` of a scenario: what `pushpit hunt` takes from the file.
enum HuntReader {
  static let type = ValueType.members([
    (
      "accept",
      ValueType.list(of: .words(Oracles.words)).meaning(
        "Oracles, and kinds of findings, whose failures `pushpit hunt` accepts.")
    )
  ])

  /// Reads the words for failures that the owner of the story accepts.
  static func accepted(_ node: SourceNode) throws(InputProblem) -> [String] {
    let fields = try Fields(node, "hunt", known: type.keys)
    let words = try fields.texts("accept") ?? []
    for word in words where !Oracles.words.contains(word) {
      throw fields.problem("accept", unknown(word))
    }
    return words
  }

  /// A sentence about a word that no oracle and no finding has.
  static func unknown(_ word: String) -> String {
    let near = SpellingSuggestion.nearest(to: word, among: Oracles.words).map { "; did you mean \($0)?" }
    let rest = near ?? ": it is one of \(Wording.list(Oracles.words, "or"))."
    return "\(Wording.quoted(word)) is no oracle and no kind of finding\(rest)"
  }
}

extension ScenarioFile {
  /// Rejects words for what a hunt accepts.
  ///
  /// - Parameter place: where they were written, for messages.
  package static func checkAccepted(_ words: [String], place: String) throws(InputProblem) {
    for word in words where !Oracles.words.contains(word) { throw InputProblem(place, HuntReader.unknown(word)) }
  }
}
