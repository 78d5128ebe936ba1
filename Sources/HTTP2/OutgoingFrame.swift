/// Reads and corrects outgoing frames (RFC 9113 section 4.1). nghttp2 returns complete frames.
enum OutgoingFrame {
  static let headerCount = 9
  static let headers: UInt8 = 1
  static let rstStream: UInt8 = 3
  static let settings: UInt8 = 4
  static let ping: UInt8 = 6
  static let goAway: UInt8 = 7
  static let windowUpdate: UInt8 = 8
  static let acknowledged: UInt8 = 1
  /// SETTINGS_MAX_CONCURRENT_STREAMS
  static let maxConcurrentStreams: UInt16 = 3
  static let settingCount = 6

  static func stream(_ frame: UnsafeRawBufferPointer) -> Int32 { Int32(number(frame, at: 5) & 0x7FFF_FFFF) }

  /// The number at the start of the payload, such as an error code.
  static func firstNumber(_ frame: UnsafeRawBufferPointer) -> UInt32 { number(frame, at: headerCount) }

  private static func number(_ frame: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
    (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(frame[offset + $1]) }
  }

  static func isPingAnswer(_ frame: UnsafeRawBufferPointer) -> Bool {
    frame.count > headerCount && frame[3] == ping && frame[4] & acknowledged != 0
  }

  /// True for a SETTINGS frame of ours, not an acknowledgement.
  static func isSettings(_ frame: UnsafeRawBufferPointer) -> Bool {
    frame.count > headerCount && frame[3] == settings && frame[4] & acknowledged == 0
  }

  static func isGoAway(_ frame: UnsafeRawBufferPointer) -> Bool {
    frame.count >= headerCount + 8 && frame[3] == goAway
  }

  static func announcesStreams(_ frame: UnsafeRawBufferPointer) -> Bool {
    stride(from: headerCount, through: frame.count - settingCount, by: settingCount).contains {
      UInt16(frame[$0]) << 8 | UInt16(frame[$0 + 1]) == maxConcurrentStreams
    }
  }

  /// Writes another MAX_CONCURRENT_STREAMS into a SETTINGS frame.
  static func setMaxConcurrentStreams(_ count: UInt32, in frame: UnsafeMutableRawBufferPointer) {
    var entry = headerCount
    while entry + settingCount <= frame.count {
      if UInt16(frame[entry]) << 8 | UInt16(frame[entry + 1]) == maxConcurrentStreams {
        for byte in 0..<4 { frame[entry + 2 + byte] = UInt8(truncatingIfNeeded: count >> UInt32(24 - 8 * byte)) }
      }
      entry += settingCount
    }
  }

  /// Error code and debug data of a GOAWAY frame.
  static func goAwayReason(_ frame: UnsafeRawBufferPointer) -> (code: ErrorCode, text: String) {
    let at = headerCount + 4
    return (ErrorCode(rawValue: number(frame, at: at)), String(decoding: frame[(at + 4)...], as: UTF8.self))
  }
}

/// A frame of ours: nghttp2 carries it with an unknown type, which is replaced by the real type when it is sent.
struct CustomFrame {
  /// A type that no RFC defines.
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
