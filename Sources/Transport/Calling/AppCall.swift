/// An HTTP request from an app on a virtual phone to its backend.
package struct AppCall: Sendable {
  /// Chosen by the caller; two open calls with the same number are cancelled together.
  package let number: UInt64
  package var method: String
  package var url: String
  package var headers: [(String, String)]
  /// Nil sends no body; an empty body is announced as empty.
  package var body: [UInt8]?
  /// For the whole call, from `start` on, including the wait for a connection.
  package var timeout: Duration

  package init(
    number: UInt64, method: String, url: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
    timeout: Duration = .seconds(10)
  ) {
    self.number = number
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }

  /// A server's answer, with any status, including redirects.
  package struct Response: Hashable, Sendable {
    package let status: Int
    package let body: [UInt8]
    package let contentType: String?

    package init(status: Int, body: [UInt8], contentType: String?) {
      self.status = status
      self.body = body
      self.contentType = contentType
    }
  }

  /// The reason why a call got no answer.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable {
      /// The server does not listen, or the address is blocked.
      case refused
      case unknownHost
      case timedOut
      /// The server may or may not have processed the request.
      case closedHalfWay
      case notHTTP
      case tooLarge
      case queueFull
      case hostNotAllowed
      case tls
      /// The call is not a valid request; nothing was sent.
      case malformed
      case cancelled
      case other
    }

    package let kind: Kind
    /// A sentence with the host and what happened.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
      self.kind = kind
      self.description = description
    }
  }
}

/// The end of a call. Each started call ends exactly once.
package struct AppCallEnd: Sendable {
  package let number: UInt64
  package let result: Result<AppCall.Response, AppCall.Failure>
  /// From `start` to the end, on the steady clock.
  package let took: Duration

  package init(number: UInt64, result: Result<AppCall.Response, AppCall.Failure>, took: Duration) {
    self.number = number
    self.result = result
    self.took = took
  }
}

extension AppCall {
  /// The first invalid part of the call; nil if it is valid. libcurl copies method and headers as they are, so a line
  /// break would start another header or another request.
  var complaint: Failure? {
    guard !method.isEmpty, method.utf8.allSatisfy(Self.isToken) else {
      return malformed("the method \"\(method)\" is not one word of letters")
    }
    for (name, value) in headers {
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken) else {
        return malformed("\"\(name)\" is not a valid header name")
      }
      guard value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
        return malformed("the header \(name) contains a line break or another control character")
      }
      guard !Self.ours.contains(name.lowercased()) else {
        return malformed("the header \(name) is derived from the body and cannot be set")
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
