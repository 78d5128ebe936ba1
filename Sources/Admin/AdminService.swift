import Grammar
import Simulation
import Timeline
import WireFormats

/// Where requests of the admin API are answered: each becomes a command or a query, its result JSON.
package struct AdminService: Sendable {
  private let version: String
  private let server: @Sendable () -> JSONValue
  private let hostCheck: HostCheck
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
    hostCheck = HostCheck(allowed: allowedHosts)
  }

  /// Has a body work on the simulator with the lock held, at a time of the machine's clock. The wire is then shown the
  /// events it returns.
  package typealias Hold = (_ body: (inout Simulator, Instant) -> [WorldEvent]) -> Void

  /// Answers one request, with the simulator in as many short holds of its lock as it takes.
  package func answer(_ request: AdminRequest, holding hold: Hold) -> AdminResponse {
    var context = AdminContext(
      request: request, version: version, server: server, wall: .distantPast, readExpectation: readExpectation)
    var reply = AdminReply.more { [self] (context, simulator) throws(AdminProblem) in try begin(&context, &simulator) }
    while case .more(let step) = reply {
      hold { simulator, wall in
        context.wall = wall
        reply = Self.take(step, &context, &simulator)
        context.settle(&simulator)
        return context.takeEvents()
      }
    }
    guard case .response(let write) = reply else { preconditionFailure("a reply ends with a response") }
    let response = write()
    return (request.method == "HEAD" ? response.withoutBody : response).sealed
  }

  /// The same for a simulator that nobody else uses.
  ///
  /// - Returns: the answer, and the events that the simulator settled meanwhile, which the wire has yet to see.
  package func answer(
    _ request: AdminRequest, _ simulator: inout Simulator, wall: Instant
  ) -> (response: AdminResponse, events: [WorldEvent]) {
    var events: [WorldEvent] = []
    let response = answer(request) { body in events += body(&simulator, wall) }
    return (response, events)
  }

  /// The answer to an order that has waited for the clock.
  package func clock(_ simulator: Simulator, wall: Instant) -> AdminResponse {
    ClockRoutes.answer(simulator, wall: wall).sealed
  }

  private static func take(
    _ step: AdminReply.Step, _ context: inout AdminContext, _ simulator: inout Simulator
  ) -> AdminReply {
    do throws(AdminProblem) {
      return try step(&context, &simulator)
    } catch {
      return .response { error.response }
    }
  }

  private func begin(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    try hostCheck.admit(context.request)
    let target = try RequestTarget(context.request.target)
    let (route, captures) = try Router.find(context.request.method, target)
    if ["POST", "PUT"].contains(route.method) { try HostCheck.admitOrder(context.request) }
    context.captures = captures
    context.query = try Query(target, allowed: route.parameters)
    // What is due by now has happened before anybody looks, and is not taken for the doing of an order.
    simulator.step(wall: context.wall)
    context.settle(&simulator)
    return try route.answer(&context, &simulator)
  }
}
