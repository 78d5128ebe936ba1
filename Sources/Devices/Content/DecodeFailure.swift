import WireFormats

/// The first mismatch between a JSON value and a Swift type.
package struct DecodeFailure: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// - Parameter similar: a key that exists and differs only in case, `_` or `-`.
    case missingKey(similar: String?)
    /// An array has fewer elements than the type takes from it.
    case missingElement
    /// - Parameter expected: for sentences, with its article.
    case typeMismatch(expected: String, found: JSONKind)
    /// The kind is right but the value is not valid; the reason follows the path in the sentence.
    case badValue(reason: String)
  }

  package private(set) var path = ContentPath()
  package let kind: Kind

  init(_ kind: Kind) { self.kind = kind }

  func below(_ step: ContentPath.Step) -> DecodeFailure {
    var failure = self
    failure.path.prepend(step)
    return failure
  }

  /// A sentence with the place and the reason, without the final period.
  package func sentence(from root: String) -> String {
    let place = path.text(from: root)
    switch kind {
    case .missingKey(nil): return "\(place) is missing, and the Swift property is not optional"
    case .missingKey(let similar?):
      return "\(place) is missing; there is a \"\(similar)\", but JSONDecoder compares keys exactly"
    case .missingElement: return "\(place) is missing; the array is too short"
    case .typeMismatch(let expected, .null):
      return "\(place) is null, and the Swift property is not optional: it must be \(expected)"
    case .typeMismatch(let expected, let found): return "\(place) must be \(expected), not \(found.words)"
    case .badValue(let reason): return "\(place) \(reason)"
    }
  }
}

extension DecodeFailure {
  /// Maximum length of a sender's own text in a sentence.
  private static let longest = 80

  static func quoted(_ text: String) -> String {
    text.count <= longest ? "\"\(text)\"" : "\"\(text.prefix(longest))…\""
  }

  static func unknown(_ value: String, among values: [String]) -> DecodeFailure {
    DecodeFailure(.badValue(reason: "is \(value), which is not a case of the enum (\(values.joined(separator: ", ")))"))
  }

  static func missing(_ key: String, in object: JSONNode) -> DecodeFailure {
    let similar = object.members.first { letters($0.name) == letters(key) }?.name
    return DecodeFailure(.missingKey(similar: similar)).below(.key(key))
  }

  /// Equal for `matchId`, `match_id` and `MatchID`.
  private static func letters(_ key: String) -> String { key.lowercased().filter { $0 != "_" && $0 != "-" } }
}

/// A place in a JSON document, in the notation of JavaScript or Swift.
package struct ContentPath: Hashable, Sendable {
  package enum Step: Hashable, Sendable {
    case key(String)
    case index(Int)
  }

  package private(set) var steps: [Step] = []

  package init() {}

  /// Prepends a step.
  mutating func prepend(_ step: Step) { steps.insert(step, at: 0) }

  /// `contentState.batsmen[1].runs`
  package func text(from root: String) -> String {
    var text = root
    for step in steps {
      switch step {
      case .index(let index): text += "[\(index)]"
      case .key(let key) where Self.isPlain(key): text += text.isEmpty ? key : ".\(key)"
      case .key(let key): text += "[\"\(key)\"]"
      }
    }
    return text
  }

  /// True if a key needs no quotes: letters, digits and `_`, `-`, `$`.
  private static func isPlain(_ key: String) -> Bool {
    !key.isEmpty && key.allSatisfy { $0.isLetter || $0.isNumber || "_-$".contains($0) }
  }
}
