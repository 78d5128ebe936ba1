/// The reason for the end of a stream or a connection, as its number on the wire (RFC 9113 section 7).
package struct ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let noError = ErrorCode(rawValue: 0)
  package static let protocolError = ErrorCode(rawValue: 1)
  package static let internalError = ErrorCode(rawValue: 2)
  package static let flowControlError = ErrorCode(rawValue: 3)
  package static let settingsTimeout = ErrorCode(rawValue: 4)
  package static let streamClosed = ErrorCode(rawValue: 5)
  package static let frameSizeError = ErrorCode(rawValue: 6)
  package static let refusedStream = ErrorCode(rawValue: 7)
  package static let cancel = ErrorCode(rawValue: 8)
  package static let compressionError = ErrorCode(rawValue: 9)
  package static let connectError = ErrorCode(rawValue: 10)
  package static let enhanceYourCalm = ErrorCode(rawValue: 11)
  package static let inadequateSecurity = ErrorCode(rawValue: 12)
  package static let http11Required = ErrorCode(rawValue: 13)

  private static let names = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]

  package var description: String {
    rawValue < UInt32(Self.names.count) ? Self.names[Int(rawValue)] : "error code \(rawValue)"
  }
}
