import CSimdjson

/// Looking at a value of any kind without taking it out.
extension JSONNode {
  package var kind: JSONKind {
    switch csj_type_of(value) {
    case CSJ_BOOL: .bool
    case CSJ_INT, CSJ_UINT, CSJ_DOUBLE: .number
    case CSJ_STRING: .string
    case CSJ_ARRAY: .array
    case CSJ_OBJECT: .object
    default: .null
    }
  }

  package var isNull: Bool { csj_type_of(value) == CSJ_NULL }
  package var bool: Bool? { csj_type_of(value) == CSJ_BOOL ? csj_bool(value) : nil }

  /// A number without a remainder that fits 64 bits, however it is written: `5`, `5.0` and `50e-1`.
  package var wholeNumber: Int64? {
    switch csj_type_of(value) {
    case CSJ_INT: csj_int(value)
    case CSJ_DOUBLE: Int64(exactly: csj_double(value))
    default: nil
    }
  }

  /// Elements of an array or members of an object; 0 for all else.
  package var count: Int { csj_count(value) }
  package var elements: JSONElements { JSONElements(self) }
  package var members: JSONMembers { JSONMembers(self) }
  package var isArray: Bool { csj_type_of(value) == CSJ_ARRAY }

  /// The first member of that name, as Foundation's `JSONDecoder` reads duplicates; names that Swift takes for the
  /// same string are the same, `é` in one scalar or in two.
  ///
  /// Observed: Swift 6.3. Other readers take the last one, and so does the subscript.
  package func first(_ key: JSONKey) -> JSONNode? {
    guard key.isASCII else { return members.first { $0.name == key.text }?.node }
    var found = csj_value()
    let isThere = key.bytes.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { csj_first_member(value, $0.baseAddress, $0.count, &found) }
    }
    return isThere ? JSONNode(value: found) : nil
  }

  /// Shows the UTF-8 of a string, its escapes read; nil for all else.
  package func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
    guard csj_type_of(value) == CSJ_STRING else { return nil }
    let text = csj_string(value)
    return UnsafeRawBufferPointer(start: text.bytes, count: text.count).withMemoryRebound(to: UInt8.self, body)
  }

  /// Whether this is a string that Swift takes for the same: bytes first, and only letters beyond ASCII have more than
  /// one spelling.
  package func isSame(as text: String) -> Bool {
    let same = withUTF8 { mine in
      var text = text
      return text.withUTF8 { other in
        if mine.elementsEqual(other) { return true }
        guard mine.contains(where: { $0 >= 0x80 }), other.contains(where: { $0 >= 0x80 }) else { return false }
        return String(decoding: mine, as: UTF8.self) == String(decoding: other, as: UTF8.self)
      }
    }
    return same ?? false
  }
}
