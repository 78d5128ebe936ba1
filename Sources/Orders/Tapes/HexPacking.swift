import WireFormats

/// Packs two hexadecimal digits into a byte, which halves device tokens.
enum HexPacking {
  /// Nil unless all are lower-case hexadecimal digits, their number is even, and packing is worthwhile.
  static func pack(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count >= 8, digits.count.isMultiple(of: 2), !hasUpperCase(digits) else { return nil }
    var packed = [UInt8](repeating: 0, count: digits.count / 2)
    var bytes = packed.mutableSpan
    guard Hex.decode(digits.span, 0..<digits.count, into: &bytes) != nil else { return nil }
    return packed
  }

  private static func hasUpperCase(_ digits: ArraySlice<UInt8>) -> Bool {
    var found: UInt8 = 0
    // A letter has bit 6 set, and a lower-case letter bit 5 as well.
    for digit in digits { found |= digit & ~(digit << 1) & 0x40 }
    return found != 0
  }

  static func unpack(_ packed: ArraySlice<UInt8>) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return packed.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }
}
