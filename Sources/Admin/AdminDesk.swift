import Simulation
import Timeline
import WireFormats

/// Where requests of the admin API are answered: each becomes a command or a query, its result JSON.
package struct AdminDesk: Sendable {
  private let version: String
  private let server: @Sendable () -> JSONValue
  private let doorkeeper: Doorkeeper
  private let readExpectation: ExpectationReading

  /// `allowedHosts` are names and addresses beside localhost, 127.0.0.1 and [::1] under which the server may be asked,
  /// such as the one it is bound to; `server` says what the ready line has said.
  package init(
    version: String, allowedHosts: [String] = [], server: @escaping @Sendable () -> JSONValue = { .object([]) },
    readExpectation: @escaping ExpectationReading = { (_, _) throws(AdminProblem) in
      throw AdminProblem(422, "Nobody here reads expectations; leave expect out.", field: "expect")
    }
  ) {
    self.version = version
    self.server = server
    self.readExpectation = readExpectation
    doorkeeper = Doorkeeper(allowed: allowedHosts)
  }

  /// Answers one request.
  ///
  /// - Returns: the answer, and the events that the station settled meanwhile, which the wire has yet to see.
  package func answer(
    _ request: AdminRequest, _ station: inout Station, wall: Instant
  ) -> (response: AdminResponse, events: [Event]) {
    var visit = Visit(
      request: request, version: version, server: server, wall: wall, readExpectation: readExpectation)
    let response: AdminResponse
    do throws(AdminProblem) {
      response = try answer(&visit, &station)
    } catch {
      response = error.response
    }
    visit.settle(&station)
    return ((request.method == "HEAD" ? response.withoutBody : response).sealed, visit.events)
  }

  /// The answer to an order that has waited for the clock.
  package func clock(_ station: Station, wall: Instant) -> AdminResponse {
    ClockRoutes.answer(station, wall: wall).sealed
  }

  private func answer(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    try doorkeeper.admit(visit.request)
    let target = try Target(visit.request.target)
    let (route, captures) = try Router.find(visit.request.method, target)
    if route.method == "POST" { try Doorkeeper.admitOrder(visit.request) }
    visit.captures = captures
    visit.query = try Query(target, allowed: route.parameters)
    // What is due by now has happened before anybody looks, and is not taken for the doing of an order.
    station.step(wall: visit.wall)
    visit.settle(&station)
    return try route.answer(&visit, &station)
  }
}
