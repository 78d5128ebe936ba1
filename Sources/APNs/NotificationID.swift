import Timeline
import WireFormats

/// `apns-id`: a UUID as its 36 characters, exactly as they were written.
///
/// The letters matter: aioapns matches answers by string equality with the lower-case id it sent, so an id goes
/// back as it came. Ids made here are upper case and random in all 128 bits. Observed: live traces of api.push
/// (uniqush, curl), where server-made ids are upper case and no versioned UUIDs.
package struct NotificationID: Hashable, Sendable {
  package let characters: InlineArray<36, UInt8>

  /// Reads the canonical 8-4-4-4-12 form, either case; nil for anything else.
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

  /// An id as the server makes it, from 128 random bits.
  package init(bits: (UInt64, UInt64)) {
    var characters = InlineArray<36, UInt8>(repeating: 0x2D)
    var position = 0
    for index in 0..<32 {
      if position == 8 || position == 13 || position == 18 || position == 23 { position += 1 }
      let word = index < 16 ? bits.0 : bits.1
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (index & 15)) & 0xF)
      characters[position] = digit < 10 ? 0x30 + digit : 0x37 + digit
      position += 1
    }
    self.characters = characters
  }

  package var text: String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      for index in 0..<36 { buffer[index] = characters[index] }
      return 36
    }
  }

  /// Whether both are the same id, whatever the case of their letters.
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
