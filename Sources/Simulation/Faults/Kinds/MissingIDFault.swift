import APNs
import Grammar
import Timeline
import WireFormats

struct MissingIDFault: PushFaultKind {
  static let shape = Shape<Self>(members: [.flag("withoutId", "Deliver and answer the push, without `apns-id`.")])
  var isOfOnePush: Bool { true }
  var publishingOnlyReason: String? { "it answers 200 without an apns-id." }

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    let response = HTTPResponse(status: 200, fields: HTTPFields([]), body: [])
    return PushFaultEffect(
      isDelivered: true, sent: .answer(status: 200), command: .respond(stream: stream.number, response))
  }
}

extension PushFault {
  package static let withoutID = PushFault(MissingIDFault())
}
