import APNs
import Grammar
import Timeline
import WireFormats

struct LossFault: PushFaultKind {
  static let shape = Shape<Self>(members: [.flag("lose", "Answer 200, and never deliver the push.")])
  var isOfOnePush: Bool { true }
  var publishingOnlyReason: String? { "other requests reach no phone." }

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect { PushFaultEffect() }
}

extension PushFault {
  package static let lose = PushFault(LossFault())
}
