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
