import APNs
import Grammar
import Timeline
import WireFormats

/// Delivers and answers the push, without `apns-id`.
struct MissingIDFault: PushFaultKind {
  static let word = "withoutId"
  var isOfOnePush: Bool { true }
  var publishingOnlyReason: String? { "it answers 200 without an apns-id." }

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    let response = HTTPResponse(status: 200, fields: HTTPFields([]), body: [])
    return PushFaultEffect(
      isDelivered: true, sent: .answer(status: 200), command: .respond(stream: stream.number, response))
  }
}

extension MissingIDFault {
  init(_ fields: Fields) {}

  func put(into object: inout ObjectWriter) { object.put(Self.word, if: true) }
}

extension PushFault {
  package static let withoutID = PushFault(MissingIDFault())
}
