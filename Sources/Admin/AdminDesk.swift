import Grammar
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
    readExpectation: @escaping ExpectationReading = { (_, _) throws(InputProblem) in
      throw InputProblem("Nobody here reads expectations; leave expect out.", field: "expect")
    }
  ) {
    self.version = version
    self.server = server
    self.readExpectation = readExpectation
    doorkeeper = Doorkeeper(allowed: allowedHosts)
  }

  /// Has a body work on the station with the lock held, at a time of the machine's clock. The wire is then shown the
  /// events it returns.
  package typealias Hold = (_ body: (inout Station, Instant) -> [Event]) -> Void

  /// Answers one request, with the station in as many short holds of its lock as it takes.
  package func answer(_ request: AdminRequest, holding hold: Hold) -> AdminResponse {
    var visit = Visit(
      request: request, version: version, server: server, wall: .distantPast, readExpectation: readExpectation)
    var reply = AdminReply.more { [self] (visit, station) throws(AdminProblem) in try begin(&visit, &station) }
    while case .more(let step) = reply {
      hold { station, wall in
        visit.wall = wall
        reply = Self.take(step, &visit, &station)
        visit.settle(&station)
        return visit.takeEvents()
      }
    }
    guard case .response(let write) = reply else { preconditionFailure("a reply ends with a response") }
    let response = write()
    return (request.method == "HEAD" ? response.withoutBody : response).sealed
  }

  /// The same for a station that nobody else uses.
  ///
  /// - Returns: the answer, and the events that the station settled meanwhile, which the wire has yet to see.
  package func answer(
    _ request: AdminRequest, _ station: inout Station, wall: Instant
  ) -> (response: AdminResponse, events: [Event]) {
    var events: [Event] = []
    let response = answer(request) { body in events += body(&station, wall) }
    return (response, events)
  }

  /// The answer to an order that has waited for the clock.
  package func clock(_ station: Station, wall: Instant) -> AdminResponse {
    ClockRoutes.answer(station, wall: wall).sealed
  }

  private static func take(
    _ step: AdminReply.Step, _ visit: inout Visit, _ station: inout Station
  ) -> AdminReply {
    do throws(AdminProblem) {
      return try step(&visit, &station)
    } catch {
      return .response { error.response }
    }
  }

  private func begin(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
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
