/// The bytes every HTTP/2 client begins with (RFC 9113 section 3.4), and how to tell who begins otherwise.
enum Preface {
  static let bytes: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
  static let count = 24

  private static let methods: [StaticString] = [
    "GET ", "POST ", "PUT ", "HEAD ", "DELETE ", "OPTIONS ", "CONNECT ", "PATCH ", "TRACE ",
  ]

  /// Whether bytes that are not the preface look like the start of an HTTP/1.1 request.
  ///
  /// They may be few: the first wrong byte ends the reading. What there is must then begin a method's name.
  static func looksLikeHTTP1(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty else { return false }
    return methods.contains { method in
      let known = min(method.utf8CodeUnitCount, bytes.count)
      return (0..<known).allSatisfy { method.utf8Start[$0] == bytes[$0] }
    }
  }

  /// The first bytes of a connection: `matched` bytes of the preface, then what came instead.
  static func firstBytes(matched: Int, then bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var first = (0..<min(matched, count)).map { Self.bytes.utf8Start[$0] }
    first.append(contentsOf: bytes.prefix(count - first.count))
    return first
  }
}
