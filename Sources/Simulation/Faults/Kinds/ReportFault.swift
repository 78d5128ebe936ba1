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

  package static let shape = Shape<Self>(
    members: [.needed("calls", at: \.self, as: .calls, "What happens to a call of an app to its backend.")])

  /// True if it changes the content of a call, not the call itself.
  var isOfClocks: Bool { if case .clock = self { true } else { false } }

  /// Faults without parameters.
  package static let simple: [(name: String, value: ReportFault)] = [
    ("lose", .lose), ("loseAnswer", .loseAnswer), ("double", .double), ("overtake", .overtake), ("fail", .fail),
  ]

  package init() { self = .lose }

  package var consequence: Fault.Consequence { .reports(self) }
}

extension FieldForm<ReportFault> {
  fileprivate static var calls: FieldForm {
    let type = ValueType.either([
      .words(ReportFault.simple.map(\.name)), .members([("delay", AnswerDelay.type), ("clock", .offset)]),
    ])
    return FieldForm(type) { (fields, name) throws(InputProblem) in
      guard let node = fields[name], node.entries != nil else {
        return try fields.neededChoice(name, ReportFault.simple)
      }
      let shape = try Fields(node, name, known: ["delay", "clock"])
      switch (shape.has("delay"), shape.has("clock")) {
      case (true, false): return .delay(try AnswerDelay.read(shape))
      case (false, true): return .clock(try shape.offset("clock", of: "the phone"))
      default:
        throw fields.problem(
          name, "calls must be a word such as lose, or {\"delay\": \"30s\"}, or {\"clock\": \"-90m\"}.")
      }
    } write: { fault in
      switch fault {
      case .delay(let delay): ["delay": delay.json]
      case .clock(let ahead): ["clock": FieldForm<Duration>.duration.write(ahead)]
      case .lose, .loseAnswer, .double, .overtake, .fail:
        JSONValue(ReportFault.simple.first { $0.value == fault }?.name)
      }
    }
  }
}
