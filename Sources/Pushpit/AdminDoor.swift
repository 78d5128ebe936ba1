import Admin
import Simulation
import Transport
import WireFormats

/// Carries requests of the admin server to the desk that answers them.
enum AdminDoor {
  static func answer(_ request: PlainRequest, _ desk: AdminDesk, _ gateway: Gateway) -> HTTPResponse {
    let asked = AdminRequest(
      method: request.method, target: request.target, headers: request.headers, body: request.body)
    let answer = gateway.work { station, wall in desk.answer(asked, &station, wall: wall) }
    var fields = HTTPFields()
    fields.append("content-type", answer.contentType)
    for field in answer.headers { fields.append(field.name, field.value) }
    return HTTPResponse(status: answer.status, fields: fields, body: answer.body)
  }
}
