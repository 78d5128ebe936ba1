import Testing

@testable import Transport

@Suite("The scanner of a plain connection's bytes") struct PlainScannerTests {
  /// The first flaw, if the bytes come in parts of some length.
  private static func flaw(in text: String, by length: Int) -> PlainFlaw? {
    var scanner = PlainScanner()
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: length) {
      bytes[start..<min(start + length, bytes.count)].withUnsafeBytes { scanner.read($0) }
    }
    return scanner.flaw
  }

  private static let get = "GET /a HTTP/1.1\r\nhost: localhost\r\n\r\n"
  private static let chunked = "POST /b HTTP/1.1\r\nhost: localhost\r\nTransfer-Encoding:  Chunked\r\n\r\n"

  static let sound = [
    get, get + get,
    "POST /b HTTP/1.1\r\nContent-Length: 5\r\n\r\n\n \r\n\n" + get,
    "POST /b HTTP/1.1\r\ncontent-length: 0\r\n\r\n" + get,
    chunked + "2\r\n{}\r\n0\r\n\r\n" + get,
    chunked + "2 ;name=value\r\n\n\n\r\n0a ; x\r\n0123456789\r\n000\r\ntrailer: x\r\n\r\n" + get,
    chunked + "1F\r\n" + String(repeating: "\n", count: 31) + "\r\n0\r\n\r\n" + get,
  ]

  @Test("The scanner finds nothing in sound requests, wherever their bytes are divided", arguments: sound)
  func soundRequests(text: String) {
    for length in [1, 2, 3, 7, text.utf8.count] { #expect(Self.flaw(in: text, by: length) == nil, "by \(length)") }
  }

  static let flawed: [(text: String, flaw: PlainFlaw)] = [
    ("GET /a HTTP/1.1\nhost: localhost\r\n\r\n", .badLineEnd),
    ("GET /a HTTP/1.1\r\nhost: localhost\n\r\n", .badLineEnd),
    ("GET /a HTTP/1.1\r\nhost: localhost\r\n\n", .badLineEnd),
    ("GET /a HTTP/1.1\r\nhost: local\rhost\r\n\r\n", .badLineEnd),
    (get + "GET /a HTTP/1.1\nhost: localhost\r\n\r\n", .badLineEnd),
    ("GET /a HTTP/1.1\r\nhost: localhost\r\n x\r\n\r\n", .foldedField),
    ("GET /a HTTP/1.1\r\nhost: localhost\r\n\tx\r\n\r\n", .foldedField),
    ("GET /a HTTP/1.1\r\n host: localhost\r\n\r\n", .foldedField),
    (chunked + "2;name=value\r\n{}\r\n0\r\n\r\n", .chunkExtension),
    (chunked + "2\n{}\r\n0\r\n\r\n", .badLineEnd),
    (chunked + "2\r\n{}\r\n0\r\nx: y\r\n z\r\n\r\n", .foldedField),
    (chunked + "2\r\n{}\n0\r\n\r\n", .badLineEnd),
    (chunked + "0x2\r\n{}\r\n0\r\n\r\n", .badChunk),
    (chunked + "+2\r\n{}\r\n0\r\n\r\n", .badChunk),
    (chunked + " 2\r\n{}\r\n0\r\n\r\n", .badChunk),
    (chunked + "2 x\r\n{}\r\n0\r\n\r\n", .badChunk),
    (chunked + "2 \r\n{}\r\n0\r\n\r\n", .badChunk),
    (chunked + "\r\n2\r\n{}\r\n0\r\n\r\n", .badChunk),
    (chunked + "2\r\n{}0\r\n\r\n", .badChunk),
    (chunked + "2\r\n{}x\r\n0\r\n\r\n", .badChunk),
    (chunked + "2\r\n{}\r\n-0\r\n\r\n", .badChunk),
    (chunked + "8000000000000000\r\n{}\r\n0\r\n\r\n", .badChunk),
    (chunked + "00000000000000002\r\n{}\r\n0\r\n\r\n", .badChunk),
    (chunked + String(repeating: "0", count: 20_000), .refused(status: 400)),
    ("GET /\u{0} HTTP/1.1\r\n\r\n", .nul),
    ("POST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\n{\u{0}}", .nul),
  ]

  @Test("The scanner names the flaws that evhttp would accept, wherever the bytes are divided", arguments: flawed)
  func flaws(text: String, flaw: PlainFlaw) {
    for length in [1, 2, 3, 7, text.utf8.count] { #expect(Self.flaw(in: text, by: length) == flaw, "by \(length)") }
  }
}
