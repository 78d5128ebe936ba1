import Admin
import Simulation
import Transport
import WireFormats

/// Carries requests of the admin server to the desk that answers them.
enum AdminDoor {
  private static let mostConnections = 128

  /// How many connections the admin API may have open, so that the rest of the process's file descriptors is left to
  /// pushes. Assumed: tests and people need fewer than 128.
  static func connections(of descriptors: Int) -> Int { min(mostConnections, max(8, descriptors / 8)) }

  static func owner(_ desk: AdminDesk, _ gateway: Gateway) -> PlainServer.Owner {
    PlainServer.Owner(
      answer: { answer($0, desk, gateway) }, refuse: refuse,
      trouble: { trouble in
        let kind: Transport.Trouble.Kind =
          switch trouble {
          case .outOfDescriptors: .outOfDescriptors
          case .tooManyConnections(let limit): .tooManyAdminConnections(limit: limit)
          }
        gateway.trouble(Transport.Trouble(kind, listener: Listeners.admin, peer: ""))
      })
  }

  static func answer(_ request: PlainRequest, _ desk: AdminDesk, _ gateway: Gateway) -> HTTPResponse {
    let asked = AdminRequest(
      method: request.method, target: request.target, headers: request.headers, body: request.body)
    return response(desk.answer(asked) { body in gateway.work { station, wall in ((), body(&station, wall)) } })
  }

  /// What is refused before it reaches the desk has the same shape of error.
  static func refuse(_ flaw: PlainFlaw) -> HTTPResponse {
    response(AdminProblem(flaw.status, flaw.sentence).response.sealed)
  }

  private static func response(_ answer: AdminResponse) -> HTTPResponse {
    var fields = HTTPFields()
    fields.append("content-type", answer.contentType)
    for field in answer.headers { fields.append(field.name, field.value) }
    return HTTPResponse(status: answer.status, fields: fields, body: answer.body)
  }
}
