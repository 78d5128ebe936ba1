/// Packs two hexadecimal digits into a byte, which halves device tokens.
enum HexPacking {
  /// Nil unless all are lower-case hexadecimal digits, their number is even, and packing is worthwhile.
  static func pack(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count >= 8, digits.count.isMultiple(of: 2) else { return nil }
    var packed: [UInt8] = []
    packed.reserveCapacity(digits.count / 2)
    var high: UInt8?
    for digit in digits {
      let value: UInt8
      switch digit {
      case 0x30...0x39: value = digit - 0x30
      case 0x61...0x66: value = digit - 0x61 + 10
      default: return nil
      }
      if let first = high {
        packed.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return packed
  }

  static func unpack(_ packed: ArraySlice<UInt8>) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return packed.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }
}
