/// Splits a command line like a shell: words, quotes and backslashes, but no variables, wildcards or pipes (use `sh -c
/// '…'` for those).
package enum ShellWords {
  package struct Problem: Error, CustomStringConvertible {
    package let description: String
  }

  package static func split(_ text: String) throws(Problem) -> [String] {
    var words: [String] = []
    var word: String?
    var rest = text[...]
    while let character = rest.popFirst() {
      switch character {
      case "'":
        guard let end = rest.firstIndex(of: "'") else { throw Problem(description: "a single quote is not closed") }
        word = (word ?? "") + rest[..<end]
        rest = rest[end...].dropFirst()
      case "\"": word = (word ?? "") + (try quoted(&rest))
      case "\\":
        guard let next = rest.popFirst() else { throw Problem(description: "nothing follows the last backslash") }
        word = (word ?? "") + String(next)
      case _ where character.isWhitespace:
        if let done = word { words.append(done) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }

  /// The text between double quotes, where a backslash escapes only `"`, `\`, `$` or a backtick.
  private static func quoted(_ rest: inout Substring) throws(Problem) -> String {
    var text = ""
    while let character = rest.popFirst() {
      if character == "\"" { return text }
      if character == "\\", let next = rest.first, "\"\\$`".contains(next) {
        text.append(next)
        rest.removeFirst()
      } else {
        text.append(character)
      }
    }
    throw Problem(description: "a double quote is not closed")
  }

  /// Joins words into a text that `split` reads back.
  package static func join(_ words: [String]) -> String { words.map(quote).joined(separator: " ") }

  private static func quote(_ word: String) -> String {
    let isPlain = word.allSatisfy { $0.isLetter || $0.isNumber || "/._,-=:{}@+%".contains($0) }
    if isPlain, !word.isEmpty { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
