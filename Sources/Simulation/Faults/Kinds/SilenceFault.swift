import APNs
import Grammar
import Timeline
import WireFormats

struct SilenceFault: PushFaultKind {
  static let shape = Shape<Self>(members: [.flag("silence", "Neither deliver nor answer the push.")])

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    PushFaultEffect(sent: .nothing(.silence))
  }
}

extension PushFault {
  package static let silence = PushFault(SilenceFault())
}
