import Admin
import Simulation
import Transport
import WireFormats

/// Passes requests of the admin server to the admin service.
enum AdminHandler {
  private static let mostConnections = 128

  /// Maximum number of open connections to the admin API, so that the process's other file descriptors are left for
  /// pushes. Assumed: tests and people need fewer than 128.
  static func connections(of descriptors: Int) -> Int { min(mostConnections, max(8, descriptors / 8)) }

  static func owner(_ service: AdminService, _ gateway: Gateway, on main: MainLoop) -> PlainServer.Owner {
    let seats = ViewerSeats()
    return PlainServer.Owner(
      answer: { [unowned main] in
        answer($0, $1, service, gateway, seats) { wait, reply in
          LedgerWaiter(wait, reply, service, gateway).begin(on: main)
        }
      }, refuse: refuse,
      trouble: { trouble in
        let kind: ConnectionTrouble.Kind =
          switch trouble {
          case .outOfDescriptors: .outOfDescriptors
          case .tooManyConnections(let limit): .tooManyAdminConnections(limit: limit)
          }
        gateway.trouble(ConnectionTrouble(kind, listener: Listeners.admin, peer: ""))
      })
  }

  /// - Parameters:
  ///   - reply: receives an answer that had to wait.
  ///   - waiting: begins to wait for expectations.
  static func answer(
    _ request: PlainRequest, _ reply: PlainReply, _ service: AdminService, _ gateway: Gateway, _ seats: ViewerSeats,
    waiting: (LedgerWait, PlainReply) -> Void
  ) -> HTTPResponse? {
    let asked = AdminRequest(
      method: request.method, target: request.target, headers: request.headers, body: request.body)
    let answer = service.answer(asked) { body in gateway.work { simulator, wall in ((), body(&simulator, wall)) } }
    if let viewer = answer.viewer {
      guard let feed = EventFeed(viewer, of: gateway, seats) else {
        return response(AdminProblem.tooManyViewers(ViewerSeats.most).response.sealed)
      }
      reply.send(response(answer), then: feed)
      return nil
    }
    if let lines = answer.lines {
      guard let feed = TokenFeed(lines, of: gateway, seats) else {
        return response(AdminProblem.tooManyViewers(ViewerSeats.most).response.sealed)
      }
      reply.send(response(answer), then: feed)
      return nil
    }
    if let wait = answer.waits {
      waiting(wait, reply)
      return nil
    }
    guard answer.awaitsClock else { return response(answer) }
    gateway.whenThere { [weak gateway] in
      guard let gateway else { return }
      reply.send(response(gateway.work { simulator, wall in (service.clock(simulator, wall: wall), []) }))
    }
    return nil
  }

  /// Requests rejected before they reach the admin service get the same format of error.
  static func refuse(_ flaw: PlainFlaw) -> HTTPResponse {
    response(AdminProblem(flaw.status, flaw.sentence).response.sealed)
  }

  static func response(_ answer: AdminResponse) -> HTTPResponse {
    var fields = HTTPFields()
    fields.append("content-type", answer.contentType)
    for field in answer.headers { fields.append(field.name, field.value) }
    return HTTPResponse(status: answer.status, fields: fields, body: answer.body)
  }
}
