import APNs
import Grammar
import Timeline
import WireFormats

/// Rejects the push with any text as body.
struct MalformedAnswerFault: PushFaultKind {
  static let word = "malformed"
  static let type = ValueType.text()
  static let statuses = 200...599
  static let details = [FaultMember("status", .whole(statuses))] + FaultBodySplit.members
  var isOfOnePush: Bool { true }

  var status: Int
  var body: [UInt8]
  var pieces: FaultBodySplit?

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    let response = HTTPResponse(
      status: status, fields: HTTPFields([("content-type", "application/json")]), body: body)
    return PushFaultEffect(
      sent: pieces?.sent(status) ?? .malformed(status: status),
      command: .respond(to: stream.number, response, pieces))
  }
}

extension MalformedAnswerFault {
  init(_ fields: Fields) throws(InputProblem) {
    guard let status = Int(exactly: try fields.whole("status") ?? 400), Self.statuses.contains(status) else {
      throw fields.problem("status", "status must be from 200 to 599.")
    }
    self.status = status
    body = Array((try fields.text(Self.word) ?? "").utf8)
    pieces = try FaultBodySplit.read(fields)
  }

  func put(into object: inout ObjectWriter) {
    object.put(Self.word, String(decoding: body, as: UTF8.self))
    object.put("status", status)
    pieces?.put(into: &object)
  }
}

extension PushFault {
  package static func malformed(status: Int, body: [UInt8], pieces: FaultBodySplit? = nil) -> PushFault {
    PushFault(MalformedAnswerFault(status: status, body: body, pieces: pieces))
  }
}
