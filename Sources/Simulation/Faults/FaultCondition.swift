import Devices
import Timeline

/// Which pushes, connections or devices a fault applies to: those that match every condition.
package struct FaultCondition: Hashable, Sendable {
  /// Its share is drawn by the name of the fault: the same seed and name always draw the same devices.
  package var filter = Filter()
  /// Only pushes of a session.
  package var scope: Filter?
  /// Strikes connections when they open, not pushes.
  package var isOpening = false
  /// Strikes connections without a push for this long, not pushes.
  package var idle: Duration?
  /// Number of matching pushes to skip first, in the order of arrival.
  package var skip: UInt64 = 0
  /// After these, every Nth match in the order of arrival; 1 matches all.
  package var every: UInt64 = 1

  package init() {}

  /// Whether it strikes connections by themselves, without a push.
  package var isOfConnections: Bool { isOpening || idle != nil }
}

/// People who answer the Allow question differently from the settings.
package struct PromptFault: Hashable, Sendable {
  /// Nil for the answer in the settings.
  package var answer: PromptPolicy.Answer?
  package var after: Duration?

  package init(answer: PromptPolicy.Answer? = nil, after: Duration? = nil) {
    self.answer = answer
    self.after = after
  }

  func applied(to policy: PromptPolicy) -> PromptPolicy {
    var changed = policy
    if let answer { changed.answer = answer }
    if let after { changed.after = after }
    return changed
  }
}

/// What happens to a call of an app to its backend.
package enum ReportFault: Hashable, Sendable {
  /// The backend does not receive it, and the app gets an error.
  case lose
  /// The backend receives it, but the app does not get the answer.
  case loseAnswer
  case double
  /// The next call overtakes it, if the app does not wait for answers.
  case overtake
  /// Answered with an error before it reaches the backend.
  case fail
  case delay(AnswerDelay)
  /// The phone's clock is ahead or behind by this much, so times in the call are wrong. The call itself is sent at the
  /// usual time.
  case clock(Duration)

  /// Whether it changes the content of a call, not the call itself.
  var isOfClocks: Bool { if case .clock = self { true } else { false } }

  /// Faults without parameters.
  package static let simple: [(name: String, value: ReportFault)] = [
    ("lose", .lose), ("loseAnswer", .loseAnswer), ("double", .double), ("overtake", .overtake), ("fail", .fail),
  ]
}
