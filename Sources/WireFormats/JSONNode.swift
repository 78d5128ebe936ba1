import CSimdjson

/// A value in a JSON document that is being read.
///
/// A node points into the reader's memory and is valid only within the closure that received it. To keep a value, copy
/// it as a `JSONValue`, a string or a number.
package struct JSONNode {
  let value: csj_value

  /// Reads a document and passes its root to `body`.
  ///
  /// - Throws: `JSONProblem` if the bytes are not one JSON document in UTF-8 with at most 512 levels of nesting, or if
  ///   calls of `read` within `body` are nested more than eight deep.
  package static func read<Result>(
    _ bytes: Span<UInt8>, in range: Range<Int>, _ body: (JSONNode) -> Result
  ) throws(JSONProblem) -> Result {
    var root = csj_value()
    let code = bytes.extracting(range).withUnsafeBufferPointer { csj_parse($0.baseAddress, $0.count, &root) }
    guard code == 0 else { throw JSONProblem(code) }
    defer { csj_close() }
    return body(JSONNode(value: root))
  }

  package static func read<Result>(_ bytes: [UInt8], _ body: (JSONNode) -> Result) throws(JSONProblem) -> Result {
    try read(bytes.span, in: 0..<bytes.count, body)
  }

  package var isObject: Bool { csj_type_of(value) == CSJ_OBJECT }
  package var isNumber: Bool {
    let type = csj_type_of(value)
    return type == CSJ_INT || type == CSJ_UINT || type == CSJ_DOUBLE
  }

  /// The last member of that name, which is how JavaScript reads duplicates. Nil if it is missing or this is not an
  /// object.
  package subscript(key: StaticString) -> JSONNode? {
    var found = csj_value()
    let name = UnsafeRawPointer(key.utf8Start).assumingMemoryBound(to: CChar.self)
    return csj_member(value, name, key.utf8CodeUnitCount, &found) ? JSONNode(value: found) : nil
  }

  /// The last members of three names, found in one pass.
  package subscript(
    first: StaticString, second: StaticString, third: StaticString
  ) -> (first: JSONNode?, second: JSONNode?, third: JSONNode?) {
    func text(_ key: StaticString) -> csj_text {
      csj_text(bytes: UnsafeRawPointer(key.utf8Start).assumingMemoryBound(to: CChar.self), count: key.utf8CodeUnitCount)
    }
    var keys = (text(first), text(second), text(third))
    var found = (csj_value(), csj_value(), csj_value())
    let present = withUnsafeBytes(of: &keys) { keys in
      withUnsafeMutableBytes(of: &found) { found in
        csj_members(
          value, keys.assumingMemoryBound(to: csj_text.self).baseAddress, 3,
          found.assumingMemoryBound(to: csj_value.self).baseAddress)
      }
    }
    return (
      present & 1 != 0 ? JSONNode(value: found.0) : nil, present & 2 != 0 ? JSONNode(value: found.1) : nil,
      present & 4 != 0 ? JSONNode(value: found.2) : nil
    )
  }

  /// The last members of six names, found in one pass.
  package subscript(
    first: StaticString, second: StaticString, third: StaticString, fourth: StaticString, fifth: StaticString,
    sixth: StaticString
  ) -> Six {
    func text(_ key: StaticString) -> csj_text {
      csj_text(bytes: UnsafeRawPointer(key.utf8Start).assumingMemoryBound(to: CChar.self), count: key.utf8CodeUnitCount)
    }
    var keys = (text(first), text(second), text(third), text(fourth), text(fifth), text(sixth))
    let none = csj_value()
    var found = (none, none, none, none, none, none)
    let present = withUnsafeBytes(of: &keys) { keys in
      withUnsafeMutableBytes(of: &found) { found in
        csj_members(
          value, keys.assumingMemoryBound(to: csj_text.self).baseAddress, 6,
          found.assumingMemoryBound(to: csj_value.self).baseAddress)
      }
    }
    func node(_ value: csj_value, _ bit: UInt32) -> JSONNode? { present & bit != 0 ? JSONNode(value: value) : nil }
    return (
      node(found.0, 1), node(found.1, 2), node(found.2, 4), node(found.3, 8), node(found.4, 16), node(found.5, 32)
    )
  }

  package typealias Six = (JSONNode?, JSONNode?, JSONNode?, JSONNode?, JSONNode?, JSONNode?)

  package var string: String? {
    guard csj_type_of(value) == CSJ_STRING else { return nil }
    return Self.text(csj_string(value))
  }

  /// True if this is exactly that string.
  package func isString(_ text: StaticString) -> Bool {
    guard csj_type_of(value) == CSJ_STRING else { return false }
    let mine = csj_string(value)
    guard mine.count == text.utf8CodeUnitCount else { return false }
    guard let bytes = mine.bytes else { return mine.count == 0 }
    for index in 0..<mine.count where UInt8(bitPattern: bytes[index]) != text.utf8Start[index] { return false }
    return true
  }

  /// A number without fraction or exponent that fits 64 bits.
  package var integer: Int64? { csj_type_of(value) == CSJ_INT ? csj_int(value) : nil }

  /// Any number, as a double.
  package var double: Double? {
    switch csj_type_of(value) {
    case CSJ_INT: Double(csj_int(value))
    case CSJ_UINT: Double(csj_uint(value))
    case CSJ_DOUBLE: csj_double(value)
    default: nil
    }
  }

  /// A deep copy of this value.
  package var whole: JSONValue {
    switch csj_type_of(value) {
    case CSJ_BOOL: .bool(csj_bool(value))
    case CSJ_INT: .integer(csj_int(value))
    case CSJ_UINT: .double(Double(csj_uint(value)))
    case CSJ_DOUBLE: .double(csj_double(value))
    case CSJ_STRING: .string(Self.text(csj_string(value)))
    case CSJ_ARRAY: .array(children.map(\.node.whole))
    case CSJ_OBJECT: .object(children.map { JSONValue.Member($0.key, $0.node.whole) })
    default: .null
    }
  }

  private typealias Child = (key: String, node: JSONNode)

  private var children: [Child] {
    var found: [Child] = []
    withUnsafeMutablePointer(to: &found) { context in
      csj_each(value, context) { context, key, child in
        guard let context else { return false }
        context.assumingMemoryBound(to: [Child].self).pointee.append((JSONNode.text(key), JSONNode(value: child)))
        return true
      }
    }
    return found
  }

  static func text(_ text: csj_text) -> String {
    String(decoding: UnsafeRawBufferPointer(start: text.bytes, count: text.count), as: UTF8.self)
  }
}

/// The reason why bytes are not valid JSON, in the reader's words.
package struct JSONProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  fileprivate init(_ code: Int32) {
    description = csj_error_text(code).map { String(cString: $0) } ?? "unreadable JSON"
  }
}
