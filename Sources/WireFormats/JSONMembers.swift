import CSimdjson

/// The members of an object in the order of the document, duplicates and all; none of anything else.
///
/// Good as long as the node it came from.
package struct JSONMembers: Sequence, IteratorProtocol {
  package struct Member {
    fileprivate let key: csj_text
    package let node: JSONNode

    /// A copy of its name.
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

/// The elements of an array, one after the other and without a copy; none of anything else.
///
/// Good as long as the node it came from.
package struct JSONElements: Sequence, IteratorProtocol {
  private var cursor: csj_cursor

  init(_ node: JSONNode) { cursor = node.isArray ? csj_open(node.value) : csj_cursor() }

  package mutating func next() -> JSONNode? {
    var key = csj_text()
    var item = csj_value()
    return csj_next(&cursor, &key, &item) ? JSONNode(value: item) : nil
  }
}

/// What kinds of value JSON has.
package enum JSONKind: Hashable, Sendable {
  case null
  case bool
  case number
  case string
  case array
  case object

  /// As people say it, with its article.
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
