import Admin
import Grammar
import WireFormats

/// A flag of a command for a key of a request, made from the description of the key.
package struct RequestFlag: Sendable {
  /// The path of the key, such as `pushType` or `when.pushType`.
  package let key: String
  /// The name without its dashes, such as `push-type`.
  package let name: String
  package let help: String
  /// The value that the flag itself stands for; nil for a flag that takes a value.
  package let constant: String?
  /// The name of the value in the help; nil for the name of the flag.
  package let valueName: String?
  /// The valid words; empty if any text is valid.
  package let words: [String]

  /// The filters of a list of the admin API.
  ///
  /// - Parameter path: the path of its route, such as `/v1/pushes`.
  package static func filters(of path: String) -> [RequestFlag] { RequestKey.filters(of: path).flatMap(flags) }

  /// The flags for a key: two for a truth whose opposite has a word.
  static func flags(of key: RequestKey) -> [RequestFlag] {
    let meaning = sentence(key.meaning)
    switch key.value {
    case .mark: return [RequestFlag(key, help: meaning, constant: "true")]
    case .truth(let opposite):
      let cases = meaning.split(separator: ", or only ", maxSplits: 1).map(String.init)
      guard let opposite, cases.count == 2 else { return [RequestFlag(key, help: meaning, constant: "true")] }
      return [
        RequestFlag(key, help: cases[0] + ".", constant: "true"),
        RequestFlag(key, opposite, help: "Only \(cases[1])", constant: "false"),
      ]
    case .number: return [RequestFlag(key, help: meaning, valueName: "n")]
    case .text(let words):
      let help = explained(meaning, by: words, example: key.example?.string)
      return [RequestFlag(key, help: help, valueName: words.isEmpty ? nil : "word", words: words)]
    }
  }

  private init(
    _ key: RequestKey, _ name: String? = nil, help: String, constant: String? = nil, valueName: String? = nil,
    words: [String] = []
  ) {
    self.key = key.path
    self.name = name ?? Self.dashed(key.path.split(separator: ".").last.map(String.init) ?? key.path)
    self.help = help
    self.constant = constant
    self.valueName = valueName
    self.words = words
  }

  /// `pushType` as `push-type`.
  private static func dashed(_ name: String) -> String {
    name.map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined()
  }

  /// The first sentence, or its beginning if it goes on after a semicolon.
  private static func sentence(_ text: String) -> String {
    let plain = text.replacing("`", with: "").replacing("\n", with: " ")
    guard let end = plain.firstRange(of: #/[.;] /#) else { return plain }
    return plain[..<end.lowerBound] + "."
  }

  /// A sentence with the valid words if they are few, or else with one of them.
  private static func explained(_ sentence: String, by words: [String], example: String?) -> String {
    guard !sentence.contains("such as") else { return sentence }
    if (1...4).contains(words.count) { return "\(sentence.dropLast()): \(Wording.list(words, "or"))." }
    guard let sample = example ?? words.first else { return sentence }
    return "\(sentence.dropLast()), such as \(sample.contains(" ") ? "\"\(sample)\"" : sample)."
  }
}
