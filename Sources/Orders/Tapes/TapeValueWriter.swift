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
}
