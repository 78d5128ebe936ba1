/// An ordered list of header fields, packed into one run of bytes.
///
/// One array per message instead of two strings per field: the push path reads fields in place, and a `String` is made
/// only for display. Layout of a field: two bytes name length, two bytes value length (little-endian), name, value.
/// Pseudo-headers such as `:path` are stored like any other field.
package struct HTTPFields: Hashable, Sendable {
  package private(set) var packed: [UInt8]

  /// Number of bytes before a field's name.
  package static var prefix: Int { HTTPFieldCursor.prefix }
  /// Maximum length of a name or a value, in bytes.
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

  /// Appends one field. A name or value longer than `longest` is truncated.
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

  /// Overwrites 36 bytes of a value, the length of a UUID.
  ///
  /// - Precondition: the bytes lie within the fields.
  package mutating func replace(at offset: Int, with characters: InlineArray<36, UInt8>) {
    precondition(offset >= 0 && offset + 36 <= packed.count, "the replaced bytes lie within the fields")
    packed.withUnsafeMutableBytes {
      $0.storeBytes(of: characters, toByteOffset: offset, as: InlineArray<36, UInt8>.self)
    }
  }

  /// The fields as text, for display and JSON.
  package var list: [(name: String, value: String)] { Self.list(packed[...]) }

  /// The first value of a field, by its lower-case name.
  package subscript(name: String) -> String? { list.first { $0.name == name }?.value }

  static func list(_ packed: ArraySlice<UInt8>) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    let span = packed.span
    var cursor = HTTPFieldCursor()
    while let field = cursor.next(in: span, end: span.count) {
      fields.append((name: span.text(field.name), value: span.text(field.value)))
    }
    return fields
  }
}

/// Iterates over packed fields without copying them.
///
/// Public, because methods of a package type are not inlined in other modules (Swift 6.3).
public struct HTTPFieldCursor {
  public struct Field {
    public let name: Range<Int>
    public let value: Range<Int>

    @inlinable init(name: Range<Int>, value: Range<Int>) {
      self.name = name
      self.value = value
    }
  }

  @inlinable static var prefix: Int { 4 }

  @usableFromInline var offset = 0

  @inlinable package init() {}

  /// The next field before `end`, or nil at the end.
  @inlinable @inline(__always)
  package mutating func next(in bytes: Span<UInt8>, end: Int) -> Field? {
    guard offset + Self.prefix <= end else { return nil }
    let lengths = UInt32(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    let nameCount = Int(lengths & 0xFFFF)
    let valueCount = Int(lengths >> 16)
    let name = offset + Self.prefix
    let value = name + nameCount
    guard value + valueCount <= end else { return nil }
    offset = value + valueCount
    return Field(name: name..<value, value: value..<offset)
  }
}
