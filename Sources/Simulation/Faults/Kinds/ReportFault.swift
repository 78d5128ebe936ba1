import Grammar
import Timeline
import WireFormats

/// A fault of a call of an app to its backend.
package enum ReportFault: FaultKind {
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

  package static let word = "calls"
  package static let type = ValueType.either([
    .words(simple.map(\.name)), .members([("delay", AnswerDelay.type), ("clock", .offset)]),
  ])

  /// True if it changes the content of a call, not the call itself.
  var isOfClocks: Bool { if case .clock = self { true } else { false } }

  /// Faults without parameters.
  package static let simple: [(name: String, value: ReportFault)] = [
    ("lose", .lose), ("loseAnswer", .loseAnswer), ("double", .double), ("overtake", .overtake), ("fail", .fail),
  ]

  package var consequence: Fault.Consequence { .reports(self) }
}

extension ReportFault {
  package init(_ fields: Fields) throws(InputProblem) {
    guard let node = fields[Self.word], node.entries != nil else {
      self = try fields.neededChoice(Self.word, Self.simple)
      return
    }
    let shape = try Fields(node, Self.word, known: ["delay", "clock"])
    switch (shape.has("delay"), shape.has("clock")) {
    case (true, false): self = .delay(try AnswerDelay.read(shape))
    case (false, true): self = .clock(try shape.offset("clock", of: "the phone"))
    default:
      throw fields.problem(
        Self.word, "calls must be a word such as lose, or {\"delay\": \"30s\"}, or {\"clock\": \"-90m\"}.")
    }
  }

  package func put(into object: inout ObjectWriter) {
    var call = ObjectWriter()
    switch self {
    case .delay(let delay): call.put("delay", delay.json)
    case .clock(let ahead): call.put("clock", ahead)
    case .lose, .loseAnswer, .double, .overtake, .fail:
      return object.put(Self.word, Self.simple.first { $0.value == self }?.name)
    }
    object.put(Self.word, call.json)
  }
}
