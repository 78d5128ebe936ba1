import APNs
import Grammar
import Timeline
import WireFormats

struct AnswerLossFault: PushFaultKind {
  static let shape = Shape<Self>(
    members: [
      .needed(
        "loseAnswer", at: \.code, as: .lost,
        "Deliver the push, and lose the answer. The stream is left open forever, or reset with this error code.")
    ])

  /// Nil leaves the stream open.
  var code: UInt32?

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    PushFaultEffect(
      isDelivered: true, sent: code.map { .reset(code: $0) } ?? .nothing(.silence),
      command: code.map { .reset(stream: stream.number, code: $0) })
  }
}

extension FieldForm<UInt32?> {
  fileprivate static var lost: FieldForm {
    FieldForm(.either([.isTrue, .errorCode])) { (fields, name) throws(InputProblem) in
      if case .bool(true)? = fields.json(name) { return .some(nil) }
      return .some(try fields.errorCode(name))
    } write: {
      $0.map(FieldForm<UInt32>.errorCode.write) ?? true
    }
  }
}

extension PushFault {
  package static func loseAnswer(code: UInt32?) -> PushFault { PushFault(AnswerLossFault(code: code)) }
}
