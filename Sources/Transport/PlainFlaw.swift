/// Why a request on a `PlainServer` is refused before anybody reads what it asks.
///
/// libevent takes more than HTTP/1.1 allows. What it reads otherwise than a proxy in front of it might is refused
/// (RFC 9112 11.2), and so is what it cannot read, in the caller's words rather than in libevent's HTML.
package enum PlainFlaw: Hashable, Sendable {
  /// libevent ends a header's value at a NUL byte.
  case nul
  case badFieldName(String)
  case twoLengths
  case lengthAndEncoding
  case badLength(String)
  case unknownEncoding(String)
  /// What libevent refuses by itself, by its status.
  case refused(status: Int)

  package var status: Int {
    switch self {
    case .nul, .badFieldName, .twoLengths, .lengthAndEncoding, .badLength: 400
    case .unknownEncoding: 501
    case .refused(let status): status
    }
  }

  package var sentence: String {
    switch self {
    case .nul: "A request has no byte 0, neither in its head nor in a body of JSON."
    case .badFieldName(let name):
      "\(name.debugDescription) is no name of a header: letters, digits and hyphens, and the colon follows at once."
    case .twoLengths: "A request has one Content-Length, not several."
    case .lengthAndEncoding: "A request has either a Content-Length or a Transfer-Encoding, not both."
    case .badLength(let text): "A Content-Length is digits alone, not \(text.debugDescription)."
    case .unknownEncoding(let text): "The Transfer-Encoding is chunked or none, not \(text.debugDescription)."
    case .refused(413): "The request is too long: its body may have \(PlainServer.largestBody) bytes."
    case .refused(417): "The only expectation that is met is 100-continue."
    case .refused(501): "This method is none of HTTP/1.1's; there are GET, HEAD, POST, DELETE and the like."
    case .refused:
      "The request is not HTTP/1.1: a request line, headers of at most \(PlainServer.largestHead) bytes, a body."
    }
  }

  /// The first flaw of a head that libevent took.
  init?(_ headers: [(name: String, value: String)]) {
    if let field = headers.first(where: { !Self.isToken($0.name) }) {
      self = .badFieldName(field.name)
      return
    }
    let lengths = headers.filter { $0.name == "content-length" }.map(\.value)
    let encodings = headers.filter { $0.name == "transfer-encoding" }.map(\.value)
    if lengths.count > 1 {
      self = .twoLengths
    } else if let length = lengths.first, !encodings.isEmpty || !length.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    {
      self = encodings.isEmpty ? .badLength(length) : .lengthAndEncoding
    } else if let encoding = encodings.first(where: { $0.lowercased() != "chunked" }) ?? encodings.dropFirst().first {
      self = .unknownEncoding(encoding)
    } else {
      return nil
    }
  }

  /// RFC 9110 5.6.2.
  private static func isToken(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
