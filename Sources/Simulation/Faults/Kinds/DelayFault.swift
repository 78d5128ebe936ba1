import APNs
import Grammar
import Timeline
import WireFormats

/// Delivers the push at once, and answers later.
struct DelayFault: PushFaultKind {
  static let word = "delay"
  static let type = AnswerDelay.type

  var delay: AnswerDelay

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    let wait = delay.draw(
      with: delays, subject: stream.connection.number, count: UInt64(bitPattern: Int64(stream.number)))
    return PushFaultEffect(
      isDelivered: true, sent: wait > .zero ? .pending(.delay) : .answer(status: 200),
      alteration: AnswerAlteration(wait: wait))
  }
}

extension DelayFault {
  init(_ fields: Fields) throws(InputProblem) { delay = try AnswerDelay.read(fields) }

  func put(into object: inout ObjectWriter) { object.put(Self.word, delay.json) }
}

extension PushFault {
  package static func delay(_ delay: AnswerDelay) -> PushFault { PushFault(DelayFault(delay: delay)) }
}
