/// Reads the values of a tape's record. A record with a valid checksum can still be invalid, because another program
/// may have written it, so every value is checked.
struct TapeValueReader {
  private let bytes: ArraySlice<UInt8>
  private var offset: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  var isAtEnd: Bool { offset == bytes.endIndex }

  mutating func byte() throws(TapeCorruption) -> UInt8 {
    guard offset < bytes.endIndex else { throw .short }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func number() throws(TapeCorruption) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try self.byte()
      guard shift < 63 || byte <= 1 else { throw .invalid("a number of more than 64 bits") }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }

  mutating func signed() throws(TapeCorruption) -> Int64 {
    let number = try self.number()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  /// - Parameter type: the integer type; a number out of its range is an error.
  mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(TapeCorruption) -> Number {
    let number = try self.number()
    if Number.isSigned {
      guard let value = Number(exactly: Int64(bitPattern: number)) else { throw .invalid("a number out of range") }
      return value
    }
    guard let value = Number(exactly: number) else { throw .invalid("a number out of range") }
    return value
  }

  mutating func word() throws(TapeCorruption) -> UInt32 {
    var word: UInt32 = 0
    for shift: UInt32 in [0, 8, 16, 24] { word |= UInt32(try byte()) << shift }
    return word
  }

  mutating func raw(_ count: UInt64) throws(TapeCorruption) -> ArraySlice<UInt8> {
    guard count <= UInt64(bytes.endIndex - offset) else { throw .short }
    defer { offset += Int(count) }
    return bytes[offset..<offset + Int(count)]
  }

  mutating func list() throws(TapeCorruption) -> ArraySlice<UInt8> { try raw(try number()) }

  mutating func text() throws(TapeCorruption) -> String {
    guard let text = String(validating: try list(), as: UTF8.self) else { throw .invalid("a text that is not UTF-8") }
    return text
  }
}

/// The reason why a record cannot be read.
package enum TapeCorruption: Error, Hashable, Sendable {
  /// The record ends before its values do.
  case short
  /// The record holds a value that no program of this version writes.
  case invalid(String)

  package var sentence: String {
    switch self {
    case .short: "it ends too early"
    case .invalid(let what): "it holds \(what)"
    }
  }
}
