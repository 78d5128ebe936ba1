import WireFormats

/// The outcome of a call of an app.
package enum CallOutcome: Hashable, Sendable {
  case answered(status: Int, body: JSONValue?)
  case failed(Failure, String)

  package enum Failure: String, CaseIterable, Hashable, Sendable {
    /// The phone has no network.
    case offline
    /// A placeholder of the template has no value.
    case missingValue
    /// The host of the call is not allowed.
    case hostNotAllowed
    /// The app's runtime ended before the answer.
    case aborted
    /// A trouble setting lost it.
    case lost
    case answerLost
    case refusedByRule
    case cannotConnect
    case timedOut
    case closed
    case notHTTP
    case tooLarge
    /// Too many calls are waiting.
    case queueFull
    case other
  }

  /// Documented: HTTP; only 2xx is success.
  package var isSuccess: Bool {
    if case .answered(let status, _) = self { (200..<300).contains(status) } else { false }
  }

  package var answer: JSONValue? { if case .answered(_, let body) = self { body } else { nil } }
  package var status: Int? { if case .answered(let status, _) = self { status } else { nil } }

  package var sentence: String {
    switch self {
    case .answered(let status, _): "answered \(status)"
    case .failed(let failure, let sentence): "\(failure.rawValue): \(sentence)"
    }
  }
}
