import CSimdjson

/// The members of an object in document order, including duplicates. Empty for any other value.
///
/// Valid as long as the node it was made from.
package struct JSONMembers: Sequence, IteratorProtocol {
  package struct Member {
    fileprivate let key: csj_text
    package let node: JSONNode

    /// A copy of the member's name.
    package var name: String { JSONNode.text(key) }
  }

  private var cursor: csj_cursor

  init(_ node: JSONNode) { cursor = node.isObject ? csj_open(node.value) : csj_cursor() }

  package mutating func next() -> Member? {
    var key = csj_text()
    var item = csj_value()
    return csj_next(&cursor, &key, &item) ? Member(key: key, node: JSONNode(value: item)) : nil
  }
}

/// The elements of an array in order, without copying. Empty for any other value.
///
/// Valid as long as the node it was made from.
package struct JSONElements: Sequence, IteratorProtocol {
  private var cursor: csj_cursor

  init(_ node: JSONNode) { cursor = node.isArray ? csj_open(node.value) : csj_cursor() }

  package mutating func next() -> JSONNode? {
    var key = csj_text()
    var item = csj_value()
    return csj_next(&cursor, &key, &item) ? JSONNode(value: item) : nil
  }
}

/// The kinds of JSON values.
package enum JSONKind: Hashable, Sendable {
  case null
  case bool
  case number
  case string
  case array
  case object

  /// For sentences, with the article.
  package var words: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
