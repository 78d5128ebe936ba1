import Yams

/// The bound on what a configuration stands for: by aliases of aliases, a few lines may stand for billions of values.
enum YAMLSize {
  static let mostNodes = 100_000

  /// The node at which there are too many; nil when there are not.
  static func excess(of root: Node) -> Node? {
    var waiting = [root]
    var seen = 0
    while let node = waiting.popLast() {
      seen += 1
      guard seen + waiting.count <= mostNodes else { return node }
      switch node {
      case .mapping(let mapping):
        for (key, value) in mapping { waiting += [key, value] }
      case .sequence(let sequence): waiting += sequence
      case .scalar, .alias: break
      }
    }
    return nil
  }
}
