/// A frame's header (RFC 9113 section 4.1).
struct FrameHeader: Hashable {
  static let data: UInt8 = 0
  static let headers: UInt8 = 1
  static let rstStream: UInt8 = 3
  static let endStream: UInt8 = 1

  let length: Int
  let type: UInt8
  let flags: UInt8
  let stream: Int32

  var endsStream: Bool { flags & Self.endStream != 0 }
}

/// Finds frame headers in a client's bytes, however they are split.
struct FrameReader {
  /// Bytes to skip before the next header: the preface, then payloads.
  private var others = Preface.count
  /// Number of bytes of the next header received so far.
  private var count = 0
  /// Length, type and flags.
  private var start: UInt64 = 0
  private var stream: UInt32 = 0

  /// The next complete header from `position` on, which is moved after it.
  mutating func next(in bytes: UnsafeRawBufferPointer, at position: inout Int) -> FrameHeader? {
    let passed = min(others, bytes.count - position)
    others -= passed
    position += passed
    // Fast path: the complete header is in this buffer.
    if count == 0, position &+ OutgoingFrame.headerCount <= bytes.count {
      start = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) >> 24
      stream = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: position &+ 5, as: UInt32.self))
      position &+= OutgoingFrame.headerCount
      return takeHeader()
    }
    while position < bytes.count {
      if count < 5 {
        start = start << 8 | UInt64(bytes[position])
      } else {
        stream = stream << 8 | UInt32(bytes[position])
      }
      position += 1
      count += 1
      if count == OutgoingFrame.headerCount { return takeHeader() }
    }
    return nil
  }

  private mutating func takeHeader() -> FrameHeader {
    let header = FrameHeader(
      length: Int(start >> 16), type: UInt8(truncatingIfNeeded: start >> 8), flags: UInt8(truncatingIfNeeded: start),
      stream: Int32(truncatingIfNeeded: stream & 0x7FFF_FFFF))
    others = header.length
    count = 0
    start = 0
    stream = 0
    return header
  }
}
