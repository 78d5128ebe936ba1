/// The reason why a `PlainServer` rejects a request before it is read.
///
/// libevent accepts more than HTTP/1.1 allows. Requests that a proxy might read differently are rejected (RFC 9112
/// 11.2), and so are unreadable ones, with the caller's text instead of libevent's HTML.
package enum PlainFlaw: Hashable, Sendable {
  /// libevent ends a header's value at a NUL byte.
  case nul
  case badFieldName(String)
  case twoLengths
  case lengthAndEncoding
  case badLength(String)
  case unknownEncoding(String)
  case badLineEnd
  case foldedField
  case badChunk
  /// libevent reads an extension only after a space.
  case chunkExtension
  /// Not a flaw of the request: the server already has that many connections.
  case tooManyConnections(limit: Int)
  /// Rejected by libevent itself, with this status.
  case refused(status: Int)

  package var status: Int {
    switch self {
    case .nul, .badFieldName, .twoLengths, .lengthAndEncoding, .badLength, .badLineEnd, .foldedField, .badChunk: 400
    case .unknownEncoding, .chunkExtension: 501
    case .tooManyConnections: 503
    case .refused(let status): status
    }
  }

  package var sentence: String {
    switch self {
    case .nul: "A request must not contain a NUL byte, neither in its head nor in its JSON body."
    case .badFieldName(let name):
      "\(name.debugDescription) is not a valid header name; use letters, digits and hyphens, no space before the colon."
    case .twoLengths: "A request must not have more than one Content-Length."
    case .lengthAndEncoding: "A request must not have both a Content-Length and a Transfer-Encoding."
    case .badLength(let text): "Content-Length must be a number, not \(text.debugDescription)."
    case .unknownEncoding(let text):
      "Transfer-Encoding must be chunked, without a tab before it, or missing; not \(text.debugDescription)."
    case .badLineEnd: "The request line, headers and sizes of chunks must end with CR LF."
    case .foldedField: "A header must not be continued on the next line."
    case .badChunk: "The size of a chunk must be hexadecimal digits, such as 1f4, and a chunk must have that length."
    case .chunkExtension:
      "An extension of a chunk is read only after a space, as in \"5 ;name=value\"; send it so, or leave it out."
    case .tooManyConnections(let limit):
      "The admin API already has \(limit) connections, the most at once; close some, or use one for many requests."
    case .refused(413): "The request is too long: its body must be at most \(PlainServer.largestBody) bytes long."
    case .refused(417): "Expect must be 100-continue."
    case .refused(501): "The method is not an HTTP/1.1 method such as GET, HEAD, POST or DELETE."
    case .refused:
      "The request is not valid HTTP/1.1: a request line with no empty line before it, headers of at most"
        + " \(PlainServer.largestHead) bytes, a body."
    }
  }

  /// The flaw of a request that is too long.
  package init?(headCount: Int, bodyCount: Int) {
    if headCount > PlainServer.largestHead {
      self = .refused(status: 400)
    } else if bodyCount > PlainServer.largestBody {
      self = .refused(status: 413)
    } else {
      return nil
    }
  }

  /// The first flaw of a head that libevent accepted.
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
