import APNs
import Grammar
import Timeline
import WireFormats

struct MalformedAnswerFault: PushFaultKind {
  private static let statuses = 200...599
  static let shape = Shape<Self>(
    members: [
      .needed("malformed", at: \.body, as: .bytes, "Reject the push with this text as body."),
      .key("status", as: .whole(statuses), "Default: 400.") { (fields, fault) throws(InputProblem) in
        guard let status = Int(exactly: try fields.whole("status") ?? 400), statuses.contains(status) else {
          throw fields.problem("status", "status must be from 200 to 599.")
        }
        fault.status = status
      } write: {
        JSONValue($0.status)
      },
      .split(\.pieces),
      .also("pause", at: \.pieces?.pause, as: .duration, "The time between two pieces. Default: none."),
      .ends(\.pieces),
    ])
  var isOfOnePush: Bool { true }

  var status = 400
  var body: [UInt8] = []
  var pieces: FaultBodySplit?

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    let response = HTTPResponse(
      status: status, fields: HTTPFields([("content-type", "application/json")]), body: body)
    return PushFaultEffect(
      sent: pieces?.sent(status) ?? .malformed(status: status),
      command: .respond(to: stream.number, response, pieces))
  }
}

extension PushFault {
  package static func malformed(status: Int, body: [UInt8], pieces: FaultBodySplit? = nil) -> PushFault {
    PushFault(MalformedAnswerFault(status: status, body: body, pieces: pieces))
  }
}
