import Timeline
import WireFormats

/// `apns-id`: the 36 characters of a UUID, exactly as they were written.
///
/// The case is preserved because aioapns matches answers by string equality with the lower-case id it sent. Ids made
/// here are upper case and random in all 128 bits. Observed: live traces of api.push (uniqush, curl), where server-made
/// ids are upper case and are not versioned UUIDs.
package struct NotificationID: Hashable, Sendable {
  /// The value of its 32 digits. They are written only when somebody reads them: a fleet gets millions of ids.
  private let high: UInt64
  private let low: UInt64
  /// The digits that are written as lower-case letters, the first in the highest bit.
  private let lowerCase: UInt32

  /// Parses the canonical 8-4-4-4-12 form in either case; nil for anything else.
  package init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    guard range.count == 36 else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    var lowerCase: UInt32 = 0
    for index in 0..<36 {
      let character = bytes[range.lowerBound + index]
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard character == 0x2D else { return nil }
        continue
      }
      guard let digit = Self.digit(character) else { return nil }
      words = (words.0 << 4 | words.1 >> 60, words.1 << 4 | digit)
      lowerCase = lowerCase << 1 | (character >= 0x61 ? 1 : 0)
    }
    (high, low) = words
    self.lowerCase = lowerCase
  }

  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    self.init(bytes.span, 0..<bytes.count)
  }

  /// An id made by the server from 128 random bits.
  package init(bits: (UInt64, UInt64)) {
    (high, low) = bits
    lowerCase = 0
  }

  /// The id as it is written.
  package var characters: InlineArray<36, UInt8> {
    let first = Self.digits(of: UInt32(truncatingIfNeeded: high >> 32), lowerCase >> 24)
    let second = Self.digits(of: UInt32(truncatingIfNeeded: high), lowerCase >> 16)
    let third = Self.digits(of: UInt32(truncatingIfNeeded: low >> 32), lowerCase >> 8)
    let fourth = Self.digits(of: UInt32(truncatingIfNeeded: low), lowerCase)
    var characters = InlineArray<36, UInt8>(repeating: 0x2D)
    var span = characters.mutableSpan
    var text = span.mutableBytes
    // 8-4-4-4-12; the hyphens between the groups are kept.
    text.storeBytes(of: first, toByteOffset: 0, as: UInt64.self)
    text.storeBytes(of: UInt32(truncatingIfNeeded: second), toByteOffset: 9, as: UInt32.self)
    text.storeBytes(of: UInt32(truncatingIfNeeded: second >> 32), toByteOffset: 14, as: UInt32.self)
    text.storeBytes(of: UInt32(truncatingIfNeeded: third), toByteOffset: 19, as: UInt32.self)
    text.storeBytes(of: UInt32(truncatingIfNeeded: third >> 32), toByteOffset: 24, as: UInt32.self)
    text.storeBytes(of: fourth, toByteOffset: 28, as: UInt64.self)
    return characters
  }

  /// Eight hexadecimal digits, the first in the lowest byte. All eight are computed at once, because every answer
  /// writes several such groups.
  ///
  /// - Parameter lowerCase: in its low byte, the digits that are lower-case letters.
  private static func digits(of word: UInt32, _ lowerCase: UInt32) -> UInt64 {
    // Spread the digits, one per byte, then reverse the bytes.
    var spread = UInt64(word)
    spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
    spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
    spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
    spread = spread.byteSwapped
    // 0x30 for all digits, and 7 more for digits from ten, whose sum with 6 sets the fifth bit.
    let letters = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    var text = spread &+ 0x3030_3030_3030_3030 &+ letters &* 7
    if lowerCase & 0xFF != 0 {
      for digit in 0..<8 where lowerCase >> (7 - UInt32(digit)) & 1 == 1 { text |= 0x20 << UInt64(8 * digit) }
    }
    return text.littleEndian
  }

  package var text: String {
    let characters = characters
    return String(unsafeUninitializedCapacity: 36) { buffer in
      for index in 0..<36 { buffer[index] = characters[index] }
      return 36
    }
  }

  /// True if both ids are equal, ignoring case.
  package func isSame(as other: NotificationID) -> Bool { high == other.high && low == other.low }

  /// The value of a hexadecimal digit.
  private static func digit(_ character: UInt8) -> UInt64? {
    switch character {
    case 0x30...0x39: UInt64(character - 0x30)
    case 0x41...0x46: UInt64(character - 0x37)
    case 0x61...0x66: UInt64(character - 0x57)
    default: nil
    }
  }
}
