import APNs
import Devices
import Timeline
import WireFormats

/// The effect of a fault on a push, before the push is delivered.
package struct PushFaultEffect {
  var isDelivered = false
  /// The change of its way to a phone that is online.
  var arrival: ArrivalFault?
  var rejection: Rejection?
  /// The first thing sent if the fault changes the answer; nil if the answer is sent as decided.
  var sent: SentAnswer?
  /// Sent to the wire after the push is delivered, or instead.
  var command: WireCommand?
  /// The change of the answer, if it is sent.
  var alteration: AnswerAlteration?

  /// Fate of a push that is not delivered.
  var fateIfLost: Fate { rejection == nil ? .discarded(.byFault) : .refused }
}

/// A delay or change of an answer.
struct AnswerAlteration: Sendable {
  var wait: Duration?
  var retryAfter: Int?
  var pieces: FaultBodySplit?

  /// The answer as it is sent.
  func command(on stream: Int32, _ answer: HTTPResponse) -> WireCommand {
    var response = answer
    if let retryAfter {
      var fields = response.fields
      fields.append("retry-after", String(retryAfter))
      response = HTTPResponse(status: response.status, fields: fields, body: response.body)
    }
    return .respond(to: stream, response, pieces)
  }
}

extension WireCommand {
  static func respond(to stream: Int32, _ response: HTTPResponse, _ pieces: FaultBodySplit?) -> WireCommand {
    pieces.map { .respondInPieces(stream: stream, response, $0) } ?? .respond(stream: stream, response)
  }
}
