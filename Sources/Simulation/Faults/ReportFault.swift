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
