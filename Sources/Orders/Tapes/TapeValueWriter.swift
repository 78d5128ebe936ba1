import Timeline
import WireFormats

/// Writes the values of a tape: numbers in groups of seven bits, low bits first; texts and bytes after their length.
struct TapeValueWriter: Sendable {
  private(set) var bytes: [UInt8] = []

  var count: Int { bytes.count }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func put(byte: UInt8) { bytes.append(byte) }

  mutating func put(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func put(_ number: Int) { put(UInt64(bitPattern: Int64(number))) }

  /// Small numbers of either sign are short.
  mutating func put(signed number: Int64) { put(UInt64(bitPattern: number << 1 ^ number >> 63)) }

  mutating func put(word: UInt32) { for shift: UInt32 in [0, 8, 16, 24] { put(byte: UInt8(word >> shift & 0xFF)) } }

  mutating func put(raw list: some Collection<UInt8>) { bytes.append(contentsOf: list) }

  mutating func put(_ list: some Collection<UInt8>) {
    put(UInt64(list.count))
    put(raw: list)
  }

  mutating func put(_ text: String) { put(text.utf8) }

  mutating func put(_ truth: Bool) { put(byte: truth ? 1 : 0) }

  mutating func put(_ number: Double) {
    let bits = number.bitPattern
    put(word: UInt32(truncatingIfNeeded: bits))
    put(word: UInt32(truncatingIfNeeded: bits >> 32))
  }

  mutating func put(_ instant: Instant) { put(signed: instant.nanoseconds) }

  /// In nanoseconds, the resolution of instants.
  mutating func put(_ duration: Duration) { put(signed: duration.wholeNanoseconds) }

  mutating func put(_ odds: Odds) {
    put(odds.numerator)
    put(odds.denominator)
  }

  /// A value that may be absent.
  mutating func put<Value>(_ value: Value?, _ write: (inout TapeValueWriter, Value) -> Void) {
    put(value != nil)
    if let value { write(&self, value) }
  }

  mutating func put(_ text: String?) { put(text) { $0.put($1) } }
  mutating func put(_ instant: Instant?) { put(instant) { $0.put($1) } }
}
