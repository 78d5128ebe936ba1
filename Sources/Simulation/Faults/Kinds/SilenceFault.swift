import APNs
import Grammar
import Timeline

/// Neither delivers nor answers the push.
struct SilenceFault: PushFaultKind {
  static let word = "silence"

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    PushFaultEffect(sent: .nothing(.silence))
  }
}

extension SilenceFault {
  init(_ fields: Fields) {}

  func put(into object: inout ObjectWriter) { object.put(Self.word, if: true) }
}

extension PushFault {
  package static let silence = PushFault(SilenceFault())
}
