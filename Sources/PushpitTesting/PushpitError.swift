import Testing

/// The reason why something could not be done, in one sentence.
public struct PushpitError: Error, Sendable, CustomStringConvertible {
  public enum Kind: String, Sendable {
    /// A call that makes no sense, such as one outside of a test with the trait.
    case misuse
    /// The server could not start.
    case start
    /// The server has a version that this library does not support.
    case wrongVersion
    /// The server does not answer, was stopped, or is not Pushpit.
    case noServer
    /// Every suitable phone belongs to an open session.
    case noFreePhone
    /// The phone has no token of this kind now.
    case noToken
    /// A push was not answered. An answer such as 429 is not an error.
    case send
    /// A condition was not met in time.
    case waitTimeout
    /// An expectation was not met.
    case expectation
    /// The admin API does not accept a value, a name or a combination (400, 413, 415, 422).
    case invalidRequest
    /// There is no such device, push, fault or session (404).
    case notFound
    /// Something else is in the way, such as another open session (409).
    case conflict
    /// The session is closed, deleted or forgotten.
    case sessionOver
    /// Any other refusal by the admin API.
    case refused
  }

  public let kind: Kind
  public let sentence: String
  /// The status of the admin API's answer, if it refused a request.
  public let status: Int?
  /// A stable name of the problem, for programs.
  public let code: String?
  /// The parameter or member that is not valid.
  public let field: String?
  /// The place of that member in the body, such as `then.answer`.
  public let path: String?
  /// The line of the test whose call has failed.
  public internal(set) var sourceLocation: SourceLocation?

  public var description: String { sentence }

  init(_ kind: Kind, _ sentence: String, at place: SourceLocation? = nil) {
    self.kind = kind
    self.sentence = sentence
    sourceLocation = place
    status = nil
    code = nil
    field = nil
    path = nil
  }

  /// An answer of the admin API with a status of 400 or more.
  init(status: Int, _ answer: JSON) {
    sourceLocation = nil
    sentence = answer["error"].string ?? "The server answered \(status)."
    self.status = status
    code = answer["code"].string
    field = answer["field"].string
    path = answer["path"].string
    let isOver = field == "session" && (status == 404 || status == 409 && sentence.contains(" is closed"))
    kind =
      switch status {
      case _ where isOver || status == 410: .sessionOver
      case 400, 413, 415, 422: .invalidRequest
      case 404: .notFound
      case 409: .conflict
      default: .refused
      }
  }
}

/// Performs a call of a test. A failure of it points at the test's line.
func at<Value>(
  _ place: SourceLocation, isolation: isolated (any Actor)? = #isolation, _ call: () async throws -> Value
) async throws -> Value {
  do {
    return try await call()
  } catch var error as PushpitError {
    // That of an inner call is in this library.
    error.sourceLocation = place
    throw error
  }
}
