import Timeline
import WireFormats

/// `apns-id`: the 36 characters of a UUID, exactly as they were written.
///
/// The case is preserved because aioapns matches answers by string equality with the lower-case id it sent. Ids made
/// here are upper case and random in all 128 bits. Observed: live traces of api.push (uniqush, curl), where server-made
/// ids are upper case and are not versioned UUIDs.
package struct NotificationID: Hashable, Sendable {
  package let characters: InlineArray<36, UInt8>

  /// Parses the canonical 8-4-4-4-12 form in either case; nil for anything else.
  package init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    guard range.count == 36 else { return nil }
    var characters = InlineArray<36, UInt8>(repeating: 0)
    for index in 0..<36 {
      let character = bytes[range.lowerBound + index]
      let isHyphen = index == 8 || index == 13 || index == 18 || index == 23
      guard isHyphen ? character == 0x2D : Self.isHex(character) else { return nil }
      characters[index] = character
    }
    self.characters = characters
  }

  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    self.init(bytes.span, 0..<bytes.count)
  }

  /// An id made by the server from 128 random bits.
  package init(bits: (UInt64, UInt64)) {
    let first = Self.digits(of: UInt32(truncatingIfNeeded: bits.0 >> 32))
    let second = Self.digits(of: UInt32(truncatingIfNeeded: bits.0))
    let third = Self.digits(of: UInt32(truncatingIfNeeded: bits.1 >> 32))
    let fourth = Self.digits(of: UInt32(truncatingIfNeeded: bits.1))
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
    self.characters = characters
  }

  /// Eight upper-case hexadecimal digits, the first in the lowest byte. All eight at once, because every push writes
  /// four such groups.
  private static func digits(of word: UInt32) -> UInt64 {
    // Spread the digits, one per byte, then reverse the bytes.
    var spread = UInt64(word)
    spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
    spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
    spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
    spread = spread.byteSwapped
    // 0x30 for all digits, and 7 more for digits from ten, whose sum with 6 sets the fifth bit.
    let letters = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return (spread &+ 0x3030_3030_3030_3030 &+ letters &* 7).littleEndian
  }

  package var text: String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      for index in 0..<36 { buffer[index] = characters[index] }
      return 36
    }
  }

  /// Whether both are the same id, ignoring case.
  package func isSame(as other: NotificationID) -> Bool {
    for index in 0..<36 where characters[index] | 0x20 != other.characters[index] | 0x20 { return false }
    return true
  }

  package static func == (left: NotificationID, right: NotificationID) -> Bool {
    for index in 0..<36 where left.characters[index] != right.characters[index] { return false }
    return true
  }

  package func hash(into hasher: inout Hasher) {
    for index in 0..<36 { hasher.combine(characters[index]) }
  }

  private static func isHex(_ character: UInt8) -> Bool {
    switch character {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }
}
