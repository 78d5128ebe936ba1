import Timeline
import WireFormats

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

  /// A number in an order; `what` it counts is for messages.
  mutating func integer(_ what: String, in range: ClosedRange<Int>) throws(TapeCorruption) -> Int {
    let number: Int = try integer()
    guard range.contains(number) else {
      throw .invalid("\(what) of \(number), which must be from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
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

  mutating func truth() throws(TapeCorruption) -> Bool {
    switch try byte() {
    case 0: return false
    case 1: return true
    default: throw .invalid("an invalid boolean")
    }
  }

  mutating func double() throws(TapeCorruption) -> Double {
    let low = UInt64(try word())
    let double = Double(bitPattern: low | UInt64(try word()) << 32)
    // JSON cannot represent other values.
    guard double.isFinite else { throw .invalid("a number that is not finite") }
    return double
  }

  mutating func instant() throws(TapeCorruption) -> Instant { Instant(nanoseconds: try signed()) }
  /// A waiting time, which cannot be negative.
  mutating func duration() throws(TapeCorruption) -> Duration {
    let duration = try shift()
    guard duration >= .zero else { throw .invalid("a negative duration") }
    return duration
  }

  /// Reads the time by which a clock is ahead or behind.
  mutating func shift() throws(TapeCorruption) -> Duration {
    let duration: Duration = .nanoseconds(try signed())
    guard duration <= DurationText.longest, duration >= .zero - DurationText.longest else {
      throw .invalid("a time of more than a hundred years")
    }
    return duration
  }

  mutating func odds() throws(TapeCorruption) -> Odds {
    let (numerator, denominator) = (try number(), try number())
    guard denominator > 0, denominator <= UInt64(UInt32.max), numerator <= denominator else {
      throw .invalid("odds above 1")
    }
    return Odds(numerator, in: denominator)
  }

  /// The number of elements that take at least one byte each.
  mutating func count() throws(TapeCorruption) -> Int {
    let count = try number()
    guard count <= UInt64(bytes.endIndex - offset) else { throw .short }
    return Int(count)
  }

  mutating func optional<Value>(
    _ read: (inout TapeValueReader) throws(TapeCorruption) -> Value
  ) throws(TapeCorruption) -> Value? {
    guard try truth() else { return nil }
    return try read(&self)
  }

  mutating func optionalText() throws(TapeCorruption) -> String? {
    try optional { source throws(TapeCorruption) in try source.text() }
  }

  mutating func optionalInstant() throws(TapeCorruption) -> Instant? {
    try optional { source throws(TapeCorruption) in try source.instant() }
  }

  /// An enum value by its raw value.
  mutating func word<Value: RawRepresentable>(_ type: Value.Type = Value.self) throws(TapeCorruption) -> Value
  where Value.RawValue == String {
    let text = try self.text()
    guard let value = Value(rawValue: text) else { throw .invalid("the unknown word \"\(text)\"") }
    return value
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
