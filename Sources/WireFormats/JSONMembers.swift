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
