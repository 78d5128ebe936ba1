/// One HTTP request that an app on a virtual phone makes of its backend.
package struct AppCall: Sendable {
  /// The caller's own; two open calls that share one are cancelled together.
  package let number: UInt64
  package var method: String
  package var url: String
  package var headers: [(String, String)]
  /// Nil sends none; an empty one is announced as empty.
  package var body: [UInt8]?
  /// For the whole call, from `start` on: waiting for a connection counts.
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

  /// What a server said; every status is an answer, a redirect too.
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

  /// Why there is no answer.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable {
      /// Nobody listens there, or the way there is barred.
      case refused
      case unknownHost
      case timedOut
      /// The server may or may not have done what it was asked.
      case closedHalfWay
      case notHTTP
      case tooLarge
      case queueFull
      case hostNotAllowed
      case tls
      /// The call cannot be written as a request; nothing was sent.
      case malformed
      case cancelled
      case other
    }

    package let kind: Kind
    /// A sentence that names the host and what happened.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
      self.kind = kind
      self.description = description
    }
  }
}

/// How a call ended. Each call that is started ends exactly once.
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
