/// HTTP/2 written by hand, for clients that are only bytes.
enum Bytes {
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  static func frame(_ kind: UInt8, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = []) -> [UInt8] {
    [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), kind, flags] + number(stream) + payload
  }

  static func number(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }

  /// Preface, SETTINGS with the widest windows, and requests without bodies (fields of RFC 7541's static table).
  static func burst(_ count: Int, resets: Bool = false) -> [UInt8] {
    let widest = 0x7FFF_FFFF
    let opening =
      preface + frame(4, [0, 4] + number(widest)) + frame(8, number(widest - 65_535))
    // :method POST, :scheme https, :path /, :authority with a value of one letter
    return (0..<count).reduce(into: opening) {
      $0 += frame(1, flags: 5, stream: 2 * $1 + 1, [0x83, 0x87, 0x84, 0x01, 0x01, 0x78])
      if resets { $0 += frame(3, stream: 2 * $1 + 1, number(8)) }
    }
  }
}

extension [UInt8] {
  func contains(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return indices.contains { self[$0...].starts(with: bytes) }
  }
}
