import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Answers requests of the admin API: each becomes a command or a query, whose result is written as JSON.
package struct AdminService: Sendable {
  private let version: String
  private let server: @Sendable () -> ServerDescription
  private let sessionsDue: @Sendable (Instant) -> Void
  private let hostCheck: HostCheck
  private let readExpectation: ExpectationReading
  private let readScenario: ScenarioReading
  private let hunts = HuntRegistry()

  /// `allowedHosts` are names and addresses under which the server may be addressed, in addition to localhost,
  /// 127.0.0.1 and [::1], such as the one it is bound to. `sessionsDue` receives the machine's time at which
  /// sessions must be looked after, with the simulator locked; call `endSessions` then.
  package init(
    version: String, allowedHosts: [String] = [],
    server: @escaping @Sendable () -> ServerDescription = { ServerDescription() },
    sessionsDue: @escaping @Sendable (Instant) -> Void = { _ in },
    readExpectation: @escaping ExpectationReading = { (_, _) throws(InputProblem) in
      throw InputProblem("Expectations are not supported here; leave expect out.", field: "expect")
    },
    readScenario: @escaping ScenarioReading = { (_) throws(InputProblem) in
      throw InputProblem("Scenarios are not supported here.", field: "text")
    }
  ) {
    self.version = version
    self.server = server
    self.sessionsDue = sessionsDue
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
      request: request, version: version, server: server, readExpectation: readExpectation,
      readScenario: readScenario, hunts: hunts)
    let response: AdminResponse
    do throws(AdminProblem) {
      let route = try route(&context)
      response = carryOut(
        .more { (context, simulator) throws(AdminProblem) in try Self.begin(route, in: &context, on: &simulator) },
        in: context,
        look: look, hold: hold)
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
  /// - Parameter isLast: whether the waiting is over, so that the answer lists what is not met.
  package func verify(
    _ wait: LedgerWait, isLast: Bool, looking look: Look? = nil, holding hold: Hold
  ) -> AdminResponse {
    let request = AdminRequest(method: "POST", target: "/v1/verify", headers: [], body: [])
    let context = AdminContext(
      request: request, version: version, server: server, readExpectation: readExpectation,
      readScenario: readScenario, hunts: hunts)
    return Self.finished(
      carryOut(VerifyRoutes.readOn(wait, isLast: isLast), in: context, look: look, hold: hold), of: request)
  }

  /// Number of portions that are done in one go, in some milliseconds each.
  private static let portions = 8

  /// - Parameter isAwaited: nil to return work that is to be done apart; otherwise it is done here.
  private func carryOut(
    _ first: AdminReply, in begun: AdminContext, while isAwaited: StillAwaited? = nil, look: Look?, hold: Hold
  ) -> AdminResponse {
    var (reply, context) = (first, begun)
    var left = look == nil ? Int.max : Self.portions
    while true {
      if left <= 0, let rest = reply.rest {
        return .rest { [context] look, hold in carryOut(rest, in: context, look: look, hold: hold) }
      }
      left -= 1
      switch reply {
      case .more(let step, _):
        hold { simulator, wall in
          context.wall = wall
          reply = Self.take(step, in: &context, on: &simulator)
          context.settle(&simulator)
          if context.hasChangedSessions, let due = simulator.sessionsDue(wall: wall) { sessionsDue(due) }
          context.hasChangedSessions = false
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
          return .apart { [context] isAwaited, hold in
            carryOut(.apart(work), in: context, while: isAwaited, look: nil, hold: hold)
          }
        }
        do throws(AdminProblem) {
          reply = try work(isAwaited)
        } catch {
          reply = .response { error.response }
        }
      case .response(let write):
        return write()
      }
    }
  }

  /// Answers a request with a simulator that no other thread shares.
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
    _ step: AdminReply.Step, in context: inout AdminContext, on simulator: inout Simulator
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
    context.query = try Query(target, allowed: route.queryNames)
    return route
  }

  private static func begin(
    _ route: Route, in context: inout AdminContext, on simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    // Due work is done first, so that it is not attributed to an order.
    simulator.step(wall: context.wall)
    context.settle(&simulator)
    // Nobody sees expired sessions open. A few expectations are evaluated at once, so that most of these sessions have
    // ended. This request does not wait for the others.
    var work = BatchSize.checks
    _ = simulator.closeExpiredSessions(wall: context.wall, work: &work)
    guard work == BatchSize.checks else {
      context.hasChangedSessions = true
      context.add(simulator.endSessions(wall: context.wall, work: &work))
      return .more { (context, simulator) throws(AdminProblem) in try begin(route, in: &context, on: &simulator) }
    }
    return try route.handler(&context, &simulator)
  }

  /// Closes sessions that have expired and ends those that are closed, as far as is done in one go.
  ///
  /// - Parameter due: receives the machine's time at which to look after sessions again, with the simulator locked.
  /// - Returns: whether nothing is left for now.
  package static func endSessions(tell due: @escaping @Sendable (Instant) -> Void, holding hold: Hold) -> Bool {
    var isDone = false
    for _ in 0..<portions where !isDone {
      hold { simulator, wall in
        simulator.step(wall: wall)
        let before = simulator.settle()
        var work = BatchSize.checks
        isDone = simulator.closeExpiredSessions(wall: wall, work: &work)
        let events = before + simulator.endSessions(wall: wall, work: &work)
        isDone = isDone && !simulator.hasEndingSessions
        if isDone, let next = simulator.sessionsDue(wall: wall) { due(next) }
        return events
      }
    }
    return isDone
  }
}

extension AdminReply {
  /// The rest of work that may be done on another thread; nil for other requests, and if nothing is left.
  fileprivate var rest: AdminReply? {
    switch self {
    case .more(_, isLong: true), .reading: self
    case .more, .unlocked, .apart, .response: nil
    }
  }
}
