import APNs
import Grammar
import Timeline
import WireFormats

/// Delivers the push, and loses the answer: the stream is reset, or left open forever.
struct AnswerLossFault: PushFaultKind {
  static let word = "loseAnswer"
  static let type = ValueType.either([.isTrue, .errorCodes])

  /// Nil leaves the stream open.
  var code: UInt32?

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    PushFaultEffect(
      isDelivered: true, sent: code.map { .reset(code: $0) } ?? .nothing(.silence),
      command: code.map { .reset(stream: stream.number, code: $0) })
  }
}

extension AnswerLossFault {
  init(_ fields: Fields) throws(InputProblem) {
    if case .bool(true)? = fields.json(Self.word) { return }
    code = try fields.errorCode(Self.word)
  }

  func put(into object: inout ObjectWriter) {
    object.put(Self.word, code.map(ObjectWriter.json(errorCode:)) ?? JSONValue.bool(true))
  }
}

extension PushFault {
  package static func loseAnswer(code: UInt32?) -> PushFault { PushFault(AnswerLossFault(code: code)) }
}
