import WireFormats

/// A frame as bytes, made and read by hand (RFC 9113 section 4.1), so that a test can say what is on the wire.
struct Frame: Equatable, CustomStringConvertible {
  enum Kind: UInt8 {
    case data, headers, priority, rstStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
  }

  static let endStream: UInt8 = 1
  static let ack: UInt8 = 1
  static let endHeaders: UInt8 = 4
  static let padded: UInt8 = 8

  var kind: Kind
  var flags: UInt8 = 0
  var stream: Int32 = 0
  var payload: [UInt8] = []

  var bytes: [UInt8] {
    let count = UInt32(payload.count)
    return [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), kind.rawValue, flags]
      + Frame.bigEndian(UInt32(bitPattern: stream)) + payload
  }

  var description: String { "\(kind) flags \(flags) stream \(stream) \(Hex.encode(payload))" }

  /// The 32-bit number at an offset of the payload.
  func number(at offset: Int) -> UInt32 { payload[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) } }

  static func bigEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
  }

  /// The frames in a run of bytes; what is left of a cut one is ignored.
  static func parse(_ bytes: [UInt8]) -> [Frame] {
    var frames: [Frame] = []
    var at = 0
    while at + 9 <= bytes.count {
      let count = Int(bytes[at]) << 16 | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2])
      guard at + 9 + count <= bytes.count, let kind = Kind(rawValue: bytes[at + 3]) else { break }
      let stream = bytes[(at + 5)..<(at + 9)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      frames.append(
        Frame(
          kind: kind, flags: bytes[at + 4], stream: Int32(stream & 0x7FFF_FFFF),
          payload: Array(bytes[(at + 9)..<(at + 9 + count)])))
      at += 9 + count
    }
    return frames
  }

  // MARK: What a client sends

  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  static let settingsAck = Frame(kind: .settings, flags: ack)

  static func settings(_ entries: [(UInt16, UInt32)] = []) -> Frame {
    Frame(
      kind: .settings,
      payload: entries.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + bigEndian($0.1) })
  }

  static func headers(_ stream: Int32, _ fields: [(String, String)], ends: Bool) -> Frame {
    Frame(kind: .headers, flags: endHeaders | (ends ? endStream : 0), stream: stream, payload: block(fields))
  }

  static func data(_ stream: Int32, _ body: String, ends: Bool = true) -> Frame {
    Frame(kind: .data, flags: ends ? endStream : 0, stream: stream, payload: Array(body.utf8))
  }

  static func reset(_ stream: Int32, _ code: UInt32 = 8) -> Frame {
    Frame(kind: .rstStream, stream: stream, payload: bigEndian(code))
  }

  static func windowUpdate(_ stream: Int32, _ more: UInt32) -> Frame {
    Frame(kind: .windowUpdate, stream: stream, payload: bigEndian(more))
  }

  /// A header block of literal fields without indexing or Huffman coding (RFC 7541 section 6.2.2).
  static func block(_ fields: [(String, String)]) -> [UInt8] {
    fields.flatMap { name, value in [0] + text(name) + text(value) }
  }

  private static func text(_ text: String) -> [UInt8] {
    var count = text.utf8.count
    guard count >= 127 else { return [UInt8(count)] + Array(text.utf8) }
    var bytes: [UInt8] = [127]
    count -= 127
    while count >= 128 {
      bytes.append(UInt8(count % 128 + 128))
      count /= 128
    }
    return bytes + [UInt8(count)] + Array(text.utf8)
  }
}

extension [(String, String)] {
  /// The fields that every request has.
  static var post: [(String, String)] {
    [(":method", "POST"), (":scheme", "https"), (":path", "/3/device/00"), (":authority", "localhost")]
  }
}
