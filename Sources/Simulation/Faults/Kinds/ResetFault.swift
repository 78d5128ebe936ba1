import APNs
import Grammar
import Timeline

/// Resets the stream instead of answering, before the push is delivered.
struct ResetFault: PushFaultKind {
  static let word = "reset"
  static let type = ValueType.errorCodes

  var code: UInt32

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    PushFaultEffect(sent: .reset(code: code), command: .reset(stream: stream.number, code: code))
  }
}

extension ResetFault {
  init(_ fields: Fields) throws(InputProblem) { code = try fields.errorCode(Self.word) }

  func put(into object: inout ObjectWriter) { object.put(errorCode: code, as: Self.word) }
}

extension PushFault {
  package static func reset(code: UInt32) -> PushFault { PushFault(ResetFault(code: code)) }
}
