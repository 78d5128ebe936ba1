/// A complete request: its fields and its body in one byte array.
///
/// The bytes are what the provider sent, unchecked. The push log keeps the same array, so a push costs one array from
/// the wire to its log entry.
package struct HTTPRequest: Hashable, Sendable {
  /// Packed fields (see `HTTPFields`), then the body.
  package let storage: [UInt8]
  /// The index in `storage` at which the body begins.
  package let bodyStart: Int

  /// - Precondition: `bodyStart` lies within `storage`.
  package init(storage: [UInt8], bodyStart: Int) {
    precondition(bodyStart >= 0 && bodyStart <= storage.count, "a body begins inside its message")
    self.storage = storage
    self.bodyStart = bodyStart
  }

  package init(fields: HTTPFields, body: some Sequence<UInt8>) {
    var storage = fields.packed
    let bodyStart = storage.count
    storage.append(contentsOf: body)
    self.init(storage: storage, bodyStart: bodyStart)
  }

  /// A request built from strings, for clients and tests.
  package init(
    _ method: String, _ path: String, fields: [(name: String, value: String)] = [], body: some Sequence<UInt8>
  ) {
    self.init(
      fields: HTTPFields([(name: ":method", value: method), (name: ":path", value: path)] + fields), body: body)
  }

  package var fields: HTTPFields { HTTPFields(packed: Array(storage[..<bodyStart])) }
  package var body: ArraySlice<UInt8> { storage[bodyStart...] }
  package var bodyCount: Int { storage.count - bodyStart }

  package func hasSameBody(as other: HTTPRequest) -> Bool {
    guard bodyCount == other.bodyCount else { return false }
    return storage.span.holds(
      bodyStart..<storage.count, other.storage.span.extracting(other.bodyStart..<other.storage.count))
  }
}
