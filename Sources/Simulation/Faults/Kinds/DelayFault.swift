import APNs
import Grammar
import Timeline
import WireFormats

struct DelayFault: PushFaultKind {
  static let shape = Shape<Self>(
    members: [
      .needed(
        "delay", at: \.delay, as: .answerDelay, "Deliver the push at once, and answer this much later, such as 2s.")
    ])

  var delay = AnswerDelay.between(.zero ... .zero)

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    let wait = delay.draw(
      with: delays, subject: stream.connection.number, count: UInt64(bitPattern: Int64(stream.number)))
    return PushFaultEffect(
      isDelivered: true, sent: wait > .zero ? .pending(.delay) : .answer(status: 200),
      alteration: AnswerAlteration(wait: wait))
  }
}

extension PushFault {
  package static func delay(_ delay: AnswerDelay) -> PushFault { PushFault(DelayFault(delay: delay)) }
}
