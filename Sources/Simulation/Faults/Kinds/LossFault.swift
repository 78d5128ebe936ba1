import APNs
import Grammar
import Timeline

/// Answers 200 and never delivers the push.
struct LossFault: PushFaultKind {
  static let word = "lose"
  var isOfOnePush: Bool { true }
  var publishingOnlyReason: String? { "other requests reach no phone." }

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect { PushFaultEffect() }
}

extension LossFault {
  init(_ fields: Fields) {}

  func put(into object: inout ObjectWriter) { object.put(Self.word, if: true) }
}

extension PushFault {
  package static let lose = PushFault(LossFault())
}
