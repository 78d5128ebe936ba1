/// Hexadecimal text and the bytes it stands for.
package enum Hex {
  /// Value of each ASCII character as a hexadecimal digit; 0xFF for all others.
  private static let values: InlineArray<256, UInt8> = {
    var table = InlineArray<256, UInt8>(repeating: 0xFF)
    for digit in 0..<10 { table[0x30 + digit] = UInt8(digit) }
    for digit in 0..<6 {
      table[0x61 + digit] = UInt8(10 + digit)
      table[0x41 + digit] = UInt8(10 + digit)
    }
    return table
  }()

  private static let digits: StaticString = "0123456789abcdef"

  /// Decodes `text[range]` into the front of `bytes`.
  ///
  /// - Returns: the number of bytes written, or nil when a character is no digit, the number of digits is odd, or
  ///   `bytes` is too short. Either case of letter counts.
  package static func decode(_ text: Span<UInt8>, _ range: Range<Int>, into bytes: inout MutableSpan<UInt8>) -> Int? {
    let count = range.count
    guard count.isMultiple(of: 2), count / 2 <= bytes.count else { return nil }
    var wrong: UInt8 = 0
    var source = range.lowerBound
    for index in 0..<(count / 2) {
      let high = values[Int(text[source])]
      let low = values[Int(text[source + 1])]
      wrong |= high | low
      bytes[index] = high << 4 | low & 0x0F
      source += 2
    }
    return wrong & 0xF0 == 0 ? count / 2 : nil
  }

  package static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    var bytes = [UInt8](repeating: 0, count: digits.count / 2)
    var span = bytes.mutableSpan
    guard decode(digits.span, 0..<digits.count, into: &span) != nil else { return nil }
    return bytes
  }

  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits.utf8Start[Int(byte >> 4)])
      text.append(digits.utf8Start[Int(byte & 0x0F)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
