import WireFormats

/// The first thing in which a JSON value differs from what a Swift type expects.
package struct DecodeFailure: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// - Parameter similar: a key that is there and differs only in case, `_` or `-`.
    case missingKey(similar: String?)
    /// An array has fewer elements than the type takes from it.
    case missingElement
    /// - Parameter expected: as people say it, with its article.
    case typeMismatch(expected: String, found: JSONKind)
    /// The kind is right and the value is not; the reason goes on from its path.
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

  /// What is wrong where, in a sentence without its full stop.
  package func sentence(from root: String) -> String {
    let place = path.text(from: root)
    switch kind {
    case .missingKey(nil): return "\(place) is missing, and the Swift property is not optional"
    case .missingKey(let similar?):
      return "\(place) is missing; there is a \"\(similar)\", but JSONDecoder takes keys letter by letter"
    case .missingElement: return "\(place) is missing, the array ends before it"
    case .typeMismatch(let expected, .null):
      return "\(place) is null, and the Swift property is not optional: it must be \(expected)"
    case .typeMismatch(let expected, let found): return "\(place) must be \(expected), and is \(found.words)"
    case .badValue(let reason): return "\(place) \(reason)"
    }
  }
}

extension DecodeFailure {
  /// Longest piece of a sender's own text that is said back.
  private static let longest = 80

  static func quoted(_ text: String) -> String {
    text.count <= longest ? "\"\(text)\"" : "\"\(text.prefix(longest))…\""
  }

  static func unknown(_ value: String, among values: [String]) -> DecodeFailure {
    DecodeFailure(.badValue(reason: "is \(value), which is no case of the enum (\(values.joined(separator: ", ")))"))
  }

  static func missing(_ key: String, in object: JSONNode) -> DecodeFailure {
    let similar = object.members.first { letters($0.name) == letters(key) }?.name
    return DecodeFailure(.missingKey(similar: similar)).below(.key(key))
  }

  /// What is the same in `matchId`, `match_id` and `MatchID`.
  private static func letters(_ key: String) -> String { key.lowercased().filter { $0 != "_" && $0 != "-" } }
}

/// Where in a JSON document something is, as a JavaScript or Swift programmer would write it.
package struct ContentPath: Hashable, Sendable {
  package enum Step: Hashable, Sendable {
    case key(String)
    case index(Int)
  }

  package private(set) var steps: [Step] = []

  package init() {}

  /// The same place seen from one level further up.
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

  /// Whether a key needs no quotes: letters, digits and `_`, `-`, `$`.
  private static func isPlain(_ key: String) -> Bool {
    !key.isEmpty && key.allSatisfy { $0.isLetter || $0.isNumber || "_-$".contains($0) }
  }
}
