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
  package struct Answer: Hashable, Sendable {
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
