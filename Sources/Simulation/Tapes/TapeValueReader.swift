import Timeline
import WireFormats

/// Reads the values of a tape's record. A record whose checksum holds can still make no sense: another program may have
/// written it, so nothing that it says is believed.
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
      guard shift < 63 || byte <= 1 else { throw .senseless("a number of more than 64 bits") }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }

  mutating func signed() throws(TapeCorruption) -> Int64 {
    let number = try self.number()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  /// - Parameter type: a kind of integer; a number beyond it is a flaw.
  mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(TapeCorruption) -> Number {
    let number = try self.number()
    if Number.isSigned {
      guard let value = Number(exactly: Int64(bitPattern: number)) else { throw .senseless("a number out of range") }
      return value
    }
    guard let value = Number(exactly: number) else { throw .senseless("a number out of range") }
    return value
  }

  /// A number that an order may hold; `what` it counts is for people.
  mutating func integer(_ what: String, in range: ClosedRange<Int>) throws(TapeCorruption) -> Int {
    let number: Int = try integer()
    guard range.contains(number) else {
      throw .senseless("\(what) of \(number), which is from \(range.lowerBound) to \(range.upperBound)")
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
    guard let text = String(validating: try list(), as: UTF8.self) else { throw .senseless("a text that is none") }
    return text
  }

  mutating func truth() throws(TapeCorruption) -> Bool {
    switch try byte() {
    case 0: return false
    case 1: return true
    default: throw .senseless("a truth that is neither")
    }
  }

  mutating func double() throws(TapeCorruption) -> Double {
    let low = UInt64(try word())
    let double = Double(bitPattern: low | UInt64(try word()) << 32)
    // No JSON says another.
    guard double.isFinite else { throw .senseless("a number that is none") }
    return double
  }

  mutating func instant() throws(TapeCorruption) -> Instant { Instant(nanoseconds: try signed()) }
  /// Of a wait, which cannot be less than nothing.
  mutating func duration() throws(TapeCorruption) -> Duration {
    let duration = try shift()
    guard duration >= .zero else { throw .senseless("a time that ends before it begins") }
    return duration
  }

  /// By how much a clock is ahead or behind.
  mutating func shift() throws(TapeCorruption) -> Duration {
    let duration: Duration = .nanoseconds(try signed())
    guard duration <= DurationText.longest, duration >= .zero - DurationText.longest else {
      throw .senseless("a time of more than a hundred years")
    }
    return duration
  }

  mutating func odds() throws(TapeCorruption) -> Odds {
    let (numerator, denominator) = (try number(), try number())
    guard denominator > 0, denominator <= UInt64(UInt32.max), numerator <= denominator else {
      throw .senseless("odds beyond certainty")
    }
    return Odds(numerator, in: denominator)
  }

  /// How many there are of something that takes a byte at the least.
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

  /// A value by the word that stands for it.
  mutating func word<Value: RawRepresentable>(_ type: Value.Type = Value.self) throws(TapeCorruption) -> Value
  where Value.RawValue == String {
    let text = try self.text()
    guard let value = Value(rawValue: text) else { throw .senseless("the word \"\(text)\", unknown here") }
    return value
  }
}

/// Why a record cannot be read.
package enum TapeCorruption: Error, Hashable, Sendable {
  /// It ends before its values do.
  case short
  /// It holds what no program of this version writes.
  case senseless(String)

  package var sentence: String {
    switch self {
    case .short: "it ends too early"
    case .senseless(let what): "it holds \(what)"
    }
  }
}
