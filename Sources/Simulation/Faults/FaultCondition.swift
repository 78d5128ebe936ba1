import Devices
import Timeline

/// Which pushes, connections or devices a fault is for: all that meet every condition.
package struct FaultCondition: Hashable, Sendable {
  /// The devices of its share are drawn by the fault's name: the same ones whenever the same seed and name are given.
  package var filter = Filter()
  /// Only pushes of a session.
  package var scope: Filter?
  /// Strikes a connection as it opens, and no push.
  package var isOpening = false
  /// Strikes a connection on which no push has come for so long, and no push.
  package var idle: Duration?
  /// Matching pushes that are passed over first, in the order of arrival.
  package var skip: UInt64 = 0
  /// After these, every Nth match in the order of arrival; 1 matches all.
  package var every: UInt64 = 1

  package init() {}

  /// Whether it strikes connections of themselves, without a push.
  package var isOfConnections: Bool { isOpening || idle != nil }
}

/// People who answer the question under a card otherwise than the settings say.
package struct PromptFault: Hashable, Sendable {
  /// Nil as the settings have it.
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

/// What becomes of a call of an app to its backend.
package enum ReportFault: Hashable, Sendable {
  /// The backend does not get it, and the app is told so.
  case lose
  /// The backend has it, and the app does not learn that.
  case loseAnswer
  case double
  /// The one after it overtakes it, where the app does not wait for answers.
  case overtake
  /// Answered with an error before it reaches the backend.
  case fail
  case delay(AnswerDelay)
  /// The phone's clock is so far ahead, or behind: what the app says of the time is wrong. The call itself leaves when
  /// it would.
  case clock(Duration)

  /// Whether it strikes what a call says, and not the call.
  var isOfClocks: Bool { if case .clock = self { true } else { false } }

  /// Those that need no further word.
  package static let simple: [(name: String, value: ReportFault)] = [
    ("lose", .lose), ("loseAnswer", .loseAnswer), ("double", .double), ("overtake", .overtake), ("fail", .fail),
  ]
}
