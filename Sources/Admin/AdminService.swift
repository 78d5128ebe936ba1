import Grammar
import Simulation
import Timeline
import WireFormats

/// Answers requests of the admin API: each becomes a command or a query, whose result is written as JSON.
package struct AdminService: Sendable {
  private let version: String
  private let server: @Sendable () -> ServerDescription
  private let expiryChanged: @Sendable (Instant) -> Void
  private let hostCheck: HostCheck
  private let readExpectation: ExpectationReading
  private let readScenario: ScenarioReading

  /// `allowedHosts` are names and addresses under which the server may be addressed, in addition to localhost,
  /// 127.0.0.1 and [::1], such as the one it is bound to. `expiryChanged` receives the machine's time at which
  /// the next session expires; call `closeExpired` then.
  package init(
    version: String, allowedHosts: [String] = [],
    server: @escaping @Sendable () -> ServerDescription = { ServerDescription() },
    expiryChanged: @escaping @Sendable (Instant) -> Void = { _ in },
    readExpectation: @escaping ExpectationReading = { (_, _) throws(InputProblem) in
      throw InputProblem("Expectations are not supported here; leave expect out.", field: "expect")
    },
    readScenario: @escaping ScenarioReading = { (_) throws(InputProblem) in
      throw InputProblem("Scenarios are not supported here.", field: "text")
    }
  ) {
    self.version = version
    self.server = server
    self.expiryChanged = expiryChanged
    self.readExpectation = readExpectation
    self.readScenario = readScenario
    hostCheck = HostCheck(allowed: allowedHosts)
  }

  /// Calls a closure with the locked simulator and the machine's time. The events it returns are then passed to the
  /// wire.
  package typealias Hold = (_ body: (inout Simulator, Instant) -> [WorldEvent]) -> Void
  /// Calls a closure with the readers of events, which have read everything; the simulator is not locked.
  package typealias Look = (_ body: (borrowing EventReaders) -> Void) -> Void

  /// Answers one request, with as many short holds of the simulator's lock as needed, or returns what is to be done
  /// apart.
  ///
  /// - Parameter look: nil to use the readers of the locked simulator.
  package func answer(_ request: AdminRequest, looking look: Look? = nil, holding hold: Hold) -> AdminResponse {
    var context = AdminContext(
      request: request, version: version, server: server, wall: .distantPast, readExpectation: readExpectation,
      readScenario: readScenario)
    let response: AdminResponse
    do throws(AdminProblem) {
      let route = try route(&context)
      response = carryOut(
        .more { (context, simulator) throws(AdminProblem) in try Self.begin(route, &context, &simulator) }, context,
        look, hold)
    } catch {
      response = error.response
    }
    return Self.finished(response, of: request)
  }

  private static func finished(_ response: AdminResponse, of request: AdminRequest) -> AdminResponse {
    if let work = response.apart { return .apart { finished(work($0, $1), of: request) } }
    if let work = response.rest { return .rest { finished(work($0, $1), of: request) } }
    return (request.method == "HEAD" ? response.withoutBody : response).sealed
  }

  /// Checks again whether the expectations for which a client waits are met.
  ///
  /// - Parameter isLast: whether the waiting is over, so that the answer says what is not met.
  package func verify(
    _ wait: LedgerWait, isLast: Bool, looking look: Look? = nil, holding hold: Hold
  ) -> AdminResponse {
    let request = AdminRequest(method: "POST", target: "/v1/verify", headers: [], body: [])
    let context = AdminContext(
      request: request, version: version, server: server, wall: .distantPast, readExpectation: readExpectation,
      readScenario: readScenario)
    return Self.finished(carryOut(VerifyRoutes.readOn(wait, isLast: isLast), context, look, hold), of: request)
  }

  /// Number of portions of a query that are done in one go on a loop, in some milliseconds each.
  private static let portions = 8

  /// - Parameter isAwaited: nil to return work that is to be done apart; otherwise it is done here.
  private func carryOut(
    _ first: AdminReply, _ begun: AdminContext, while isAwaited: StillAwaited? = nil, _ look: Look?, _ hold: Hold
  ) -> AdminResponse {
    var (reply, context) = (first, begun)
    var left = look == nil ? Int.max : Self.portions
    while true {
      if left == 0, let rest = reply.rest {
        return .rest { [context] look, hold in carryOut(rest, context, look, hold) }
      }
      left -= 1
      switch reply {
      case .more(let step, _):
        hold { simulator, wall in
          context.wall = wall
          reply = Self.take(step, &context, &simulator)
          context.settle(&simulator)
          return context.takeEvents()
        }
      case .reading(let step):
        if let look {
          look { reply = step($0) }
        } else {
          hold { simulator, _ in
            reply = step(simulator.readers)
            return []
          }
        }
      case .unlocked(let work):
        do throws(AdminProblem) {
          reply = try work()
        } catch {
          reply = .response { error.response }
        }
      case .apart(let work):
        guard let isAwaited else {
          return .apart { [context] isAwaited, hold in carryOut(.apart(work), context, while: isAwaited, nil, hold) }
        }
        do throws(AdminProblem) {
          reply = try work(isAwaited)
        } catch {
          reply = .response { error.response }
        }
      case .response(let write):
        if let expiry = context.expiry { expiryChanged(expiry) }
        return write()
      }
    }
  }

  /// The same for an unshared simulator.
  ///
  /// - Returns: the answer, and the events settled meanwhile, which the wire has not seen yet.
  package func answer(
    _ request: AdminRequest, _ simulator: inout Simulator, wall: Instant
  ) -> (response: AdminResponse, events: [WorldEvent]) {
    var events: [WorldEvent] = []
    var response = answer(request) { body in events += body(&simulator, wall) }
    if let work = response.apart { response = work({ true }, { body in events += body(&simulator, wall) }) }
    return (response, events)
  }

  /// The answer to an order that waited for the clock.
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

  /// Reads everything of a request but its body. That needs no lock.
  private func route(_ context: inout AdminContext) throws(AdminProblem) -> Route {
    try hostCheck.admit(context.request)
    let target = try RequestTarget(context.request.target)
    let (route, captures) = try Router.find(context.request.method, target)
    if ["POST", "PUT"].contains(route.method) { try HostCheck.admitOrder(context.request) }
    context.captures = captures
    context.query = try Query(target, allowed: route.parameters)
    return route
  }

  private static func begin(
    _ route: Route, _ context: inout AdminContext, _ simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    // Due work is done first, so that it is not attributed to an order.
    simulator.step(wall: context.wall)
    context.settle(&simulator)
    let (events, isDone) = simulator.closeExpiredSessions(wall: context.wall, work: BatchSize.checks)
    context.add(events)
    guard isDone else {
      return .more { (context, simulator) throws(AdminProblem) in try begin(route, &context, &simulator) }
    }
    return try route.answer(&context, &simulator)
  }

  /// Closes the sessions that have expired.
  ///
  /// - Returns: the machine's time at which the next one expires.
  package static func closeExpired(holding hold: Hold) -> Instant? {
    var (next, isDone) = (Instant?.none, false)
    while !isDone {
      hold { simulator, wall in
        simulator.step(wall: wall)
        let before = simulator.settle()
        let closed = simulator.closeExpiredSessions(wall: wall, work: BatchSize.checks)
        isDone = closed.isDone
        next = simulator.readers.sessions.nextExpiry
        return before + closed.events
      }
    }
    return next
  }
}

extension AdminReply {
  /// The rest of a query; nil for other requests, and for a query that is done.
  fileprivate var rest: AdminReply? {
    switch self {
    case .more(_, isQuery: true), .reading: self
    case .more, .unlocked, .apart, .response: nil
    }
  }
}
