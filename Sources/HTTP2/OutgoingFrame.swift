/// Reading and correcting a frame on its way out (RFC 9113 section 4.1). nghttp2 hands out whole frames.
enum OutgoingFrame {
  static let headerCount = 9
  static let settings: UInt8 = 4
  static let goAway: UInt8 = 7
  static let acknowledged: UInt8 = 1
  /// SETTINGS_MAX_CONCURRENT_STREAMS
  static let maxConcurrentStreams: UInt16 = 3
  static let settingCount = 6

  /// Whether `frame` is a SETTINGS frame of ours, not the acknowledgement of the client's.
  static func isSettings(_ frame: UnsafeRawBufferPointer) -> Bool {
    frame.count > headerCount && frame[3] == settings && frame[4] & acknowledged == 0
  }

  static func isGoAway(_ frame: UnsafeRawBufferPointer) -> Bool {
    frame.count >= headerCount + 8 && frame[3] == goAway
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
    let code = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(frame[at + $1]) }
    return (ErrorCode(rawValue: code), String(decoding: frame[(at + 4)...], as: UTF8.self))
  }
}
