import APNs
import Grammar
import Timeline
import WireFormats

struct ResetFault: PushFaultKind {
  static let shape = Shape<Self>(
    members: [
      .needed(
        "reset", at: \.code, as: .errorCode, "Reset the stream with this error code, before the push is delivered.")
    ])

  var code: UInt32 = 0

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    PushFaultEffect(sent: .reset(code: code), command: .reset(stream: stream.number, code: code))
  }
}

extension PushFault {
  package static func reset(code: UInt32) -> PushFault { PushFault(ResetFault(code: code)) }
}
