extension AppCall {
  /// What of it cannot be written as a request; nil when all can. libcurl copies method and headers as they are, so a
  /// line break in one would be a second header, or a second request.
  var complaint: Failure? {
    guard !method.isEmpty, method.utf8.allSatisfy(Self.isToken) else {
      return malformed("the method \"\(method)\" is not one word of letters")
    }
    for (name, value) in headers {
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken) else {
        return malformed("\"\(name)\" is no name of a header")
      }
      guard value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
        return malformed("the header \(name) has a line break or another control character in it")
      }
      guard !Self.ours.contains(name.lowercased()) else {
        return malformed("the header \(name) follows from the body and is not given by hand")
      }
    }
    return nil
  }

  private func malformed(_ what: String) -> Failure { Failure(.malformed, "\(url): \(what); nothing was sent") }

  private static let ours: Set<String> = ["content-length", "transfer-encoding", "expect"]

  /// RFC 9110 section 5.6.2.
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
