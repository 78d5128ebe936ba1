/// CRC-32 as zlib and PNG have it (ISO 3309, polynomial 0xEDB88320), so that other programs can check a tape too.
enum Checksum {
  private static let table: [UInt32] = (0..<256 as Range<UInt32>).map { index in
    var value: UInt32 = index
    for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    return value
  }

  static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    let span = bytes.span
    let list = Self.table
    let table = list.span
    var sum: UInt32 = 0xFFFF_FFFF
    for index in span.indices {
      sum = sum >> 8 ^ table[Int((sum ^ UInt32(span[index])) & 0xFF)]
    }
    return ~sum
  }
}
