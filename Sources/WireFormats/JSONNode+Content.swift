import CSimdjson

/// Inspects a value of any kind without copying it.
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

  /// An integer that fits 64 bits, however it is written: `5`, `5.0` or `50e-1`.
  package var wholeNumber: Int64? {
    switch csj_type_of(value) {
    case CSJ_INT: csj_int(value)
    case CSJ_DOUBLE: Int64(exactly: csj_double(value))
    default: nil
    }
  }

  /// An integer beyond `Int64` that fits a `UInt64`.
  package var largeWholeNumber: UInt64? {
    switch csj_type_of(value) {
    case CSJ_UINT: csj_uint(value)
    case CSJ_DOUBLE: UInt64(exactly: csj_double(value))
    default: nil
    }
  }

  /// Number of elements of an array or members of an object; 0 for any other value.
  package var count: Int { csj_count(value) }
  package var elements: JSONElements { JSONElements(self) }
  package var members: JSONMembers { JSONMembers(self) }
  package var isArray: Bool { csj_type_of(value) == CSJ_ARRAY }

  /// The first member of that name, which is how Foundation's `JSONDecoder` reads duplicates. Names that Swift
  /// considers equal strings match, such as `é` as one scalar or two.
  ///
  /// Observed: Swift 6.3. Other readers, including the subscript, take the last one.
  package func first(_ key: JSONKeyView) -> JSONNode? {
    guard key.isASCII else {
      let text = key.text
      return members.first { $0.name == text }?.node
    }
    var found = csj_value()
    let name = UnsafeRawPointer(key.bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
    return csj_first_member(value, name, key.bytes.count, &found) ? JSONNode(value: found) : nil
  }

  package func first(_ key: JSONKey) -> JSONNode? { key.withView { first($0) } }

  /// Passes the unescaped UTF-8 of a string to `body`; nil for any other value.
  package func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
    guard csj_type_of(value) == CSJ_STRING else { return nil }
    let text = csj_string(value)
    return UnsafeRawBufferPointer(start: text.bytes, count: text.count).withMemoryRebound(to: UInt8.self, body)
  }

  /// True if this is a string that Swift considers equal. Compares bytes first; only characters beyond ASCII have more
  /// than one spelling.
  package func isString(_ key: JSONKeyView) -> Bool {
    guard csj_type_of(value) == CSJ_STRING else { return false }
    let mine = csj_string(value)
    guard key.isASCII else { return Self.text(mine) == key.text }
    guard mine.count == key.bytes.count, let bytes = mine.bytes else { return mine.count + key.bytes.count == 0 }
    for index in 0..<mine.count where UInt8(bitPattern: bytes[index]) != key.bytes[index] { return false }
    return true
  }
}
