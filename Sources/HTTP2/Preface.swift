/// The first bytes of every HTTP/2 client (RFC 9113 section 3.4), and ways to recognize other clients.
enum Preface {
  static let bytes: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
  static let count = 24

  private static let methods: [StaticString] = [
    "GET ", "POST ", "PUT ", "HEAD ", "DELETE ", "OPTIONS ", "CONNECT ", "PATCH ", "TRACE ",
  ]

  /// True if bytes that are not the preface look like the start of an HTTP/1.1 request.
  ///
  /// There may be few bytes, because reading stops at the first wrong one. They must then be the start of a method.
  static func looksLikeHTTP1(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty else { return false }
    return methods.contains { method in
      let known = min(method.utf8CodeUnitCount, bytes.count)
      return (0..<known).allSatisfy { method.utf8Start[$0] == bytes[$0] }
    }
  }

  /// The first bytes of a connection: `matched` bytes of the preface, then what was received instead.
  static func firstBytes(matched: Int, then bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var first = (0..<min(matched, count)).map { Self.bytes.utf8Start[$0] }
    first.append(contentsOf: bytes.prefix(count - first.count))
    return first
  }
}

/// The part of a client's preface that has arrived: the magic bytes, then SETTINGS.
struct ClientPreface {
  /// Number of magic bytes.
  private var count = 0
  private(set) var isComplete = false

  /// - Returns: the number of magic bytes received before these bytes.
  mutating func received(_ more: Int) -> Int {
    let matched = count
    count = min(Preface.count, matched + more)
    return matched
  }

  /// nghttp2 has received SETTINGS, which it accepts only after the magic bytes.
  mutating func complete() { isComplete = true }
}
