/// A frame that is ours and not nghttp2's: it travels as a frame of an unknown type and gets its real one on its way
/// out.
struct OwnFrame {
  /// A type no RFC has given away.
  static let placeholder: UInt8 = 0xF0

  let type: UInt8
  let payload: [UInt8]

  init(goAway lastStream: Int32, _ code: ErrorCode, _ debug: ArraySlice<UInt8>) {
    type = OutgoingFrame.goAway
    payload = Self.number(UInt32(lastStream)) + Self.number(code.rawValue) + debug
  }

  init(windowUpdate increment: UInt32) {
    type = OutgoingFrame.windowUpdate
    payload = Self.number(increment)
  }

  private static func number(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
  }
}
