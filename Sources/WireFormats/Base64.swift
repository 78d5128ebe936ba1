/// Base64 with padding (RFC 4648 section 4), for bodies that are not text.
package enum Base64 {
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    let letters = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(letters) + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
  }

  /// Decodes `text`; nil if it is not canonical.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    var letters = Array(text)
    for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
    for index in letters.indices {
      switch letters[index] {
      case UInt8(ascii: "+"): letters[index] = UInt8(ascii: "-")
      case UInt8(ascii: "/"): letters[index] = UInt8(ascii: "_")
      case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
      default: break
      }
    }
    return Base64URL.decode(letters)
  }

  /// Decodes either alphabet, with or without padding; nil if the padding is not the right one, or if bits are left
  /// over.
  package static func decodeAnyForm(_ text: some Collection<UInt8>) -> [UInt8]? {
    var letters = Array(text)
    if letters.last == UInt8(ascii: "=") {
      guard letters.count % 4 == 0 else { return nil }
      for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
    }
    for index in letters.indices {
      switch letters[index] {
      case UInt8(ascii: "+"): letters[index] = UInt8(ascii: "-")
      case UInt8(ascii: "/"): letters[index] = UInt8(ascii: "_")
      default: break
      }
    }
    return Base64URL.decode(letters)
  }
}

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5), as JSON Web Tokens use it.
package enum Base64URL {
  private static let letters: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  /// Value of each ASCII character; 0xFF for those outside the alphabet.
  private static let values: InlineArray<256, UInt8> = {
    var table = InlineArray<256, UInt8>(repeating: 0xFF)
    for value in 0..<64 { table[Int(letters.utf8Start[value])] = UInt8(value) }
    return table
  }()

  /// Decodes `text`. Nil if it is not canonical: padding, a character outside the alphabet, an impossible length, or
  /// bits left over.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var bits: UInt32 = 0
    var held = 0
    for letter in text {
      let value = values[Int(letter)]
      guard value != 0xFF else { return nil }
      bits = bits << 6 | UInt32(value)
      held += 6
      if held >= 8 {
        held -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
        bits &= (1 << UInt32(held)) - 1
      }
    }
    return bits == 0 ? bytes : nil
  }

  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var held: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      held += 8
      while held >= 6 {
        held -= 6
        text.append(letters.utf8Start[Int(bits >> held & 0x3F)])
      }
      bits &= (1 << held) - 1
    }
    if held > 0 { text.append(letters.utf8Start[Int(bits << (6 - held) & 0x3F)]) }
    return String(decoding: text, as: UTF8.self)
  }
}
