import CSimdjson

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
