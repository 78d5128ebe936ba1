import Admin
import Simulation
import Transport
import WireFormats

/// Carries requests of the admin server to the service that answers them.
enum AdminHandler {
  private static let mostConnections = 128

  /// How many connections the admin API may have open, so that the rest of the process's file descriptors is left to
  /// pushes. Assumed: tests and people need fewer than 128.
  static func connections(of descriptors: Int) -> Int { min(mostConnections, max(8, descriptors / 8)) }

  static func owner(_ service: AdminService, _ gateway: Gateway) -> PlainServer.Owner {
    PlainServer.Owner(
      answer: { answer($0, $1, service, gateway) }, refuse: refuse,
      trouble: { trouble in
        let kind: ConnectionTrouble.Kind =
          switch trouble {
          case .outOfDescriptors: .outOfDescriptors
          case .tooManyConnections(let limit): .tooManyAdminConnections(limit: limit)
          }
        gateway.trouble(ConnectionTrouble(kind, listener: Listeners.admin, peer: ""))
      })
  }

  /// - Parameter reply: takes an answer that has to wait for the world's clock.
  static func answer(
    _ request: PlainRequest, _ reply: PlainReply, _ service: AdminService, _ gateway: Gateway
  ) -> HTTPResponse? {
    let asked = AdminRequest(
      method: request.method, target: request.target, headers: request.headers, body: request.body)
    let answer = service.answer(asked) { body in gateway.work { simulator, wall in ((), body(&simulator, wall)) } }
    guard answer.awaitsClock else { return response(answer) }
    gateway.whenThere { [weak gateway] in
      guard let gateway else { return }
      reply.send(response(gateway.work { simulator, wall in (service.clock(simulator, wall: wall), []) }))
    }
    return nil
  }

  /// What is refused before it reaches the admin service has the same shape of error.
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
