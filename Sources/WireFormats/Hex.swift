/// Hexadecimal encoding.
package enum Hex {
  private static let digits: StaticString = "0123456789abcdef"

  /// Decodes `text[range]` into the start of `bytes`.
  ///
  /// - Returns: the number of bytes written, or nil if a character is not a hexadecimal digit, the number of digits is
  ///   odd, or `bytes` is too short. Both upper and lower case are accepted.
  package static func decode(_ text: Span<UInt8>, _ range: Range<Int>, into bytes: inout MutableSpan<UInt8>) -> Int? {
    let count = range.count / 2
    guard range.count.isMultiple(of: 2), count <= bytes.count, range.upperBound <= text.count else { return nil }
    // Eight digits at a time, because a token is decoded for every push. The bounds were checked once, above.
    var (done, wrong) = text.withUnsafeBytes { text in
      bytes.withUnsafeMutableBytes { bytes in
        var done = 0
        var wrong: UInt64 = 0
        while done &+ 4 <= count {
          let word = text.loadUnaligned(fromByteOffset: range.lowerBound &+ 2 &* done, as: UInt64.self)
          let values = values(of: UInt64(littleEndian: word), wrong: &wrong)
          // Two digits make a byte; the first is the high half.
          var packed = (values << 4 | values >> 8) & 0x00FF_00FF_00FF_00FF
          packed = (packed | packed >> 8) & 0x0000_FFFF_0000_FFFF
          packed |= packed >> 16
          bytes.storeBytes(of: UInt32(truncatingIfNeeded: packed).littleEndian, toByteOffset: done, as: UInt32.self)
          done &+= 4
        }
        return (done, wrong)
      }
    }
    while done < count {
      let at = range.lowerBound + 2 * done
      let word = UInt64(text[at]) | UInt64(text[at + 1]) << 8 | 0x3030_3030_3030_0000
      let values = values(of: word, wrong: &wrong)
      bytes[done] = UInt8(truncatingIfNeeded: values << 4 | values >> 8)
      done += 1
    }
    return wrong == 0 ? count : nil
  }

  /// The values of eight ASCII hexadecimal digits, one per byte; `wrong` gets a bit for each invalid character.
  private static func values(of characters: UInt64, wrong: inout UInt64) -> UInt64 {
    let each: UInt64 = 0x0101_0101_0101_0101
    // Letters have bit 6 set, and their low half counts from 1, which stands for 10.
    let letters = characters >> 6 & each
    let values = (characters & (each &* 0x0F)) &+ letters &* 9
    // Check: writing the values in lower case again must give the input.
    let tens = (values &+ each &* 6) >> 4 & each
    let written = values &+ each &* 0x30 &+ tens &* 0x27
    wrong |= (values & (each &* 0xF0)) | (written ^ (characters | (letters &* 0x20)))
    return values
  }

  package static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    var bytes = [UInt8](repeating: 0, count: digits.count / 2)
    var span = bytes.mutableSpan
    guard decode(digits.span, 0..<digits.count, into: &span) != nil else { return nil }
    return bytes
  }

  /// Writes lower-case digits.
  package static func encode(_ bytes: Span<UInt8>) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
      for index in bytes.indices {
        text.initializeElement(at: 2 * index, to: digits.utf8Start[Int(bytes[index] >> 4)])
        text.initializeElement(at: 2 * index + 1, to: digits.utf8Start[Int(bytes[index] & 0x0F)])
      }
      return 2 * bytes.count
    }
  }

  package static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }
}
