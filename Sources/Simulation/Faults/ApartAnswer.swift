import APNs
import WireFormats

/// An answer that leaves later, or changed.
struct ApartAnswer: Sendable {
  let stream: StreamID
  let wait: Duration?
  let retryAfter: Int?
  var pieces: FaultPieces?

  /// The answer as it leaves.
  func order(_ answer: Answer) -> WireOrder {
    var response = answer.response
    if let retryAfter {
      var fields = response.fields
      fields.append("retry-after", String(retryAfter))
      response = HTTPResponse(status: response.status, fields: fields, body: response.body)
    }
    return .respond(to: stream.number, response, pieces)
  }
}

extension WireOrder {
  static func respond(to stream: Int32, _ response: HTTPResponse, _ pieces: FaultPieces?) -> WireOrder {
    pieces.map { .respondInPieces(stream: stream, response, $0) } ?? .respond(stream: stream, response)
  }
}
