/// An ordered list of header fields, packed into one run of bytes.
///
/// One array per message instead of two strings per field: on the path of a push a field is looked at where it
/// lies, and a `String` is made only when a person will read it. Layout of a field: two bytes name length, two
/// bytes value length (little-endian), name, value. Pseudo fields such as `:path` are fields like any other.
package struct HTTPFields: Hashable, Sendable {
  package private(set) var packed: [UInt8]

  /// Bytes in front of a field's name.
  package static let prefix = 4
  /// Longest name or value that fits, in bytes.
  package static let longest = 0xFFFF

  package init() { packed = [] }

  package init(packed: [UInt8]) { self.packed = packed }

  package init(_ fields: [(name: String, value: String)]) {
    packed = []
    for field in fields { append(field.name, field.value) }
  }

  package mutating func append(_ name: String, _ value: String) {
    append(name: Array(name.utf8), value: Array(value.utf8))
  }

  /// Appends one field; a name or value beyond `longest` is cut there.
  package mutating func append(name: some Collection<UInt8>, value: some Collection<UInt8>) {
    let nameCount = min(name.count, Self.longest)
    let valueCount = min(value.count, Self.longest)
    packed.reserveCapacity(packed.count + Self.prefix + nameCount + valueCount)
    packed.append(UInt8(truncatingIfNeeded: nameCount))
    packed.append(UInt8(truncatingIfNeeded: nameCount >> 8))
    packed.append(UInt8(truncatingIfNeeded: valueCount))
    packed.append(UInt8(truncatingIfNeeded: valueCount >> 8))
    packed.append(contentsOf: name.prefix(nameCount))
    packed.append(contentsOf: value.prefix(valueCount))
  }

  /// The fields as text, for people and for JSON.
  package var list: [(name: String, value: String)] { Self.list(packed[...]) }

  /// The first value under a lower-case name.
  package subscript(name: String) -> String? { list.first { $0.name == name }?.value }

  static func list(_ packed: ArraySlice<UInt8>) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    let span = packed.span
    var cursor = HTTPFieldCursor()
    while let field = cursor.next(in: span, end: span.count) {
      let start = packed.startIndex
      fields.append(
        (
          name: String(decoding: packed[(start + field.name.lowerBound)..<(start + field.name.upperBound)], as: UTF8.self),
          value: String(decoding: packed[(start + field.value.lowerBound)..<(start + field.value.upperBound)], as: UTF8.self)
        ))
    }
    return fields
  }
}

/// Walks packed fields without copying them.
package struct HTTPFieldCursor {
  package struct Field {
    package let name: Range<Int>
    package let value: Range<Int>
  }

  private var offset = 0

  package init() {}

  /// The next field before `end`, or nil when there is none.
  package mutating func next(in bytes: Span<UInt8>, end: Int) -> Field? {
    guard offset + HTTPFields.prefix <= end else { return nil }
    let nameCount = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
    let valueCount = Int(bytes[offset + 2]) | Int(bytes[offset + 3]) << 8
    let name = offset + HTTPFields.prefix
    let value = name + nameCount
    guard value + valueCount <= end else { return nil }
    offset = value + valueCount
    return Field(name: name..<value, value: value..<offset)
  }
}
