/// The strings that Foundation's types accept.
enum ContentText {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  /// Observed: Foundation of Swift 6.3 requires the standard alphabet and padding, ignores bits left over, and is
  /// lenient about padding: any number of `=` at the end if there are enough, and `AA=A`.
  static func isBase64(_ text: Bytes) -> Bool {
    guard let end = text.lastIndex(where: { $0 != equals }) else { return text.isEmpty || text.count >= 4 }
    let letters = end + 1
    guard letters % 4 != 1, text.count >= (letters + 3) / 4 * 4 else { return false }
    for index in 0..<letters where !isBase64Letter(text[index]) {
      guard text[index] == equals, letters % 4 == 0, index == letters - 2 else { return false }
    }
    return true
  }

  /// 32 hexadecimal digits of either case in groups of 8, 4, 4, 4 and 12.
  ///
  /// Observed: a NUL ends the text. Not reproduced: Foundation reads pairs of digits with `scanf`, which accepts ` 1`,
  /// `+1` and `0x` for some of them.
  static func isUUID(_ text: Bytes) -> Bool {
    guard text.count == 36 || text.count > 36 && text[36] == 0 else { return false }
    for index in 0..<36 {
      switch index {
      case 8, 13, 18, 23: if text[index] != UInt8(ascii: "-") { return false }
      default: if !isHexDigit(text[index]) { return false }
      }
    }
    return true
  }

  private static let equals = UInt8(ascii: "=")

  static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

  private static func isBase64Letter(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
  }
}
