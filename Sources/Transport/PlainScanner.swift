#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Follows the bytes that a client of a `PlainServer` sends, and finds what evhttp accepts although HTTP/1.1 forbids
/// it.
///
/// A proxy may end a line, a chunk or a body elsewhere than evhttp does, and then read another request (RFC 9112 11.2).
/// The scanner reads the requests of a connection one after another, as evhttp does. Where their readings could differ,
/// `PlainFlaw` rejects the request and ends its connection, so that the scanner needs no reading of its own there.
struct PlainScanner {
  private enum Place {
    case requestLine
    /// A field of the head or of the trailer.
    case field(ofTrailer: Bool)
    case body
    case chunkSize
    case chunk
    /// The end of the line after a chunk.
    case chunkEnd
  }

  /// The first flaw. Nothing is read after it.
  private(set) var flaw: PlainFlaw?
  private var place = Place.requestLine
  /// The line that has not ended yet.
  private var line: [UInt8] = []
  /// Bytes of the body or chunk that are still to come.
  private var left = 0
  /// The body's length and whether it is in chunks, as the head says.
  private var length = 0
  private var isChunked = false

  mutating func read(_ bytes: UnsafeRawBufferPointer) {
    guard flaw == nil, let start = bytes.baseAddress else { return }
    if memchr(start, 0, bytes.count) != nil { return flaw = .nul }
    var rest = bytes[...]
    while flaw == nil, !rest.isEmpty {
      switch place {
      case .body, .chunk: skip(&rest)
      case .requestLine, .field, .chunkSize, .chunkEnd: readLine(&rest)
      }
    }
  }

  private mutating func skip(_ bytes: inout Slice<UnsafeRawBufferPointer>) {
    let count = min(left, bytes.count)
    bytes = bytes.dropFirst(count)
    left -= count
    guard left == 0 else { return }
    if case .chunk = place { place = .chunkEnd } else { place = .requestLine }
  }

  private mutating func readLine(_ bytes: inout Slice<UnsafeRawBufferPointer>) {
    let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
    let part = bytes[..<(end ?? bytes.endIndex)]
    // evhttp limits the head, but not the line with the size of a chunk.
    guard line.count + part.count <= PlainServer.largestHead + 1 else { return flaw = .refused(status: 400) }
    line += part
    guard let end else {
      bytes = bytes[bytes.endIndex...]
      return
    }
    bytes = bytes[(end + 1)...]
    guard line.popLast() == UInt8(ascii: "\r"), !line.contains(UInt8(ascii: "\r")) else { return flaw = .badLineEnd }
    finishLine()
    line.removeAll(keepingCapacity: true)
  }

  private mutating func finishLine() {
    switch place {
    case .requestLine:
      (length, isChunked) = (0, false)
      place = .field(ofTrailer: false)
    case .field(ofTrailer: true): if line.isEmpty { place = .requestLine } else { readField() }
    case .field(ofTrailer: false): if line.isEmpty { beginBody() } else { readField() }
    case .chunkSize: readChunkSize()
    case .chunkEnd: if line.isEmpty { place = .chunkSize } else { flaw = .badChunk }
    case .body, .chunk: break
    }
  }

  private mutating func beginBody() {
    left = length
    place = isChunked ? .chunkSize : left > 0 ? .body : .requestLine
  }

  private mutating func readField() {
    guard !Self.isBlank(line[0]) else { return flaw = .foldedField }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
    let value = String(decoding: line[(colon + 1)...], as: UTF8.self).filter { $0 != " " && $0 != "\t" }
    switch String(decoding: line[..<colon], as: UTF8.self).lowercased() {
    case "content-length": length = Int(value) ?? 0
    case "transfer-encoding": isChunked = value.lowercased() == "chunked"
    default: break
    }
  }

  /// RFC 9112 7.1: hexadecimal digits, and perhaps an extension.
  private mutating func readChunkSize() {
    let digits = line.prefix { ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x66) }
    let extended = line[digits.endIndex...].drop(while: Self.isBlank)
    guard digits.count <= 16, let size = Int(String(decoding: digits, as: UTF8.self), radix: 16),
      extended.isEmpty ? digits.count == line.count : extended.first == UInt8(ascii: ";")
    else { return flaw = .badChunk }
    guard extended.isEmpty || extended.startIndex > digits.endIndex else { return flaw = .chunkExtension }
    left = size
    place = size > 0 ? .chunk : .field(ofTrailer: true)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
