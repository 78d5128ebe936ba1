import Admin
import Scenarios
import Simulation
import Timeline
import Transport
import WireFormats

/// Passes requests of the admin server to the admin service.
struct AdminHandler: Sendable {
  let service: AdminService
  let gateway: Gateway
  let files: WorkThread
  let queries: WorkThread
  private let connections: Int
  /// Clients that read an answer that is sent part by part. Assumed: some pages and some terminals. They need file
  /// descriptors in addition to those of the admin API's other connections.
  private let viewers = Seats(16)
  /// Clients that wait for expectations.
  let waiters: Seats

  private static let mostConnections = 128
  /// Nanoseconds for which a request waits for files that another program has locked. Clients wait longer.
  private static let patience: UInt64 = 2_000_000_000

  /// - Parameter connections: maximum number of connections.
  init(
    _ service: AdminService, _ gateway: Gateway, files: WorkThread, queries: WorkThread, connections: Int
  ) {
    self.service = service
    self.gateway = gateway
    self.files = files
    self.queries = queries
    self.connections = connections
    // The other half is for clients that need not wait.
    waiters = Seats(connections / 2)
  }

  /// Maximum number of open connections to the admin API, so that the process's other file descriptors are left for
  /// pushes. Assumed: tests and people need fewer than 128.
  static func connections(of descriptors: Int) -> Int { min(mostConnections, max(8, descriptors / 8)) }

  /// Opens the server that it answers for.
  func open(on main: MainLoop, at bound: BoundSocket) throws(ListenFailure) -> PlainServer {
    try PlainServer(on: main, at: bound, limit: connections, owner: owner(on: main))
  }

  private func owner(on main: MainLoop) -> PlainServer.Owner {
    PlainServer.Owner(
      answer: { [unowned main] request, reply in
        let asked = AdminRequest(
          method: request.method, target: request.target, headers: request.headers, body: request.body,
          isOwners: { [peer = request.peer] in peer?.isOfThisUser ?? false })
        return answer(asked, reply, on: main)
      }, refuse: Self.refuse,
      trouble: { [gateway] trouble in
        let kind: ConnectionTrouble.Kind =
          switch trouble {
          case .outOfDescriptors: .outOfDescriptors
          case .tooManyConnections(let limit): .tooManyAdminConnections(limit: limit)
          }
        gateway.trouble(ConnectionTrouble(kind, listener: Listeners.admin, peer: ""))
      })
  }

  /// Answers calls of this process for as long as the result exists.
  func serve(_ calls: DirectCalls, on main: MainLoop) -> MailboxReader<DirectCalls.Letter> {
    MailboxReader(calls.letters, on: main.base) { [unowned main] letter in
      guard letter.reply.isAwaited, let response = answer(letter.request, letter.reply, on: main) else { return }
      letter.reply.send(response)
    }
  }

  /// Lends the simulator to the service.
  func hold(_ body: (inout Simulator, Instant) -> [WorldEvent]) {
    gateway.work { simulator, wall in ((), body(&simulator, wall)) }
  }

  /// - Parameter reply: receives an answer that had to wait.
  private func answer(_ request: AdminRequest, _ reply: PlainReply, on main: MainLoop) -> HTTPResponse? {
    let answer = service.answer(request, looking: gateway.look, holding: hold)
    if let work = answer.apart { return begin(work, reply) }
    if answer.rest != nil || answer.waits != nil {
      LedgerWaiter(reply, self).begin(with: answer, on: main)
      return nil
    }
    if let viewer = answer.viewer {
      return begin(answer, feed: viewers.take().map { EventFeed(viewer, of: gateway, $0) }, to: reply)
    }
    if let lines = answer.lines {
      return begin(answer, feed: viewers.take().map { TokenFeed(lines, of: gateway, $0) }, to: reply)
    }
    guard answer.awaitsClock else { return Self.response(answer) }
    gateway.whenThere { [weak gateway, service] in
      guard let gateway, reply.isAwaited else { return }
      reply.send(Self.response(gateway.work { simulator, wall in (service.clock(simulator, wall: wall), []) }))
    }
    return nil
  }

  /// Begins an answer that is sent part by part.
  ///
  /// - Parameter feed: nil if all seats of viewers are taken.
  private func begin(_ answer: AdminResponse, feed: (any PlainFeed)?, to reply: PlainReply) -> HTTPResponse? {
    guard let feed else { return Self.response(.tooManyViewers(viewers.most)) }
    reply.send(Self.response(answer), then: feed)
    return nil
  }

  /// Begins work that must not delay the loop.
  private func begin(_ work: @escaping AdminResponse.Apart, _ reply: PlainReply) -> HTTPResponse? {
    let deadline = SystemClock.steadyNanoseconds + Self.patience
    let isAwaited: StillAwaited = { [files] in
      reply.isAwaited && SystemClock.steadyNanoseconds < deadline && !files.isEnding
    }
    let hasBegun = files.run {
      // An order of a client that went away before it was begun is not carried out.
      if reply.isAwaited { reply.send(Self.response(work(isAwaited, hold))) }
    } isDropped: {
      reply.send(Self.response(.stopping))
    }
    return hasBegun ? nil : Self.refusal(by: files)
  }

  /// The answer to an order that a thread does not take.
  static func refusal(by thread: WorkThread) -> HTTPResponse {
    response(thread.isEnding ? .stopping : .tooManyOrders(WorkThread.most))
  }

  /// Requests rejected before they reach the admin service get the same format of error.
  static func refuse(_ flaw: PlainFlaw) -> HTTPResponse { response(AdminProblem(flaw.status, flaw.sentence)) }

  static func response(_ problem: AdminProblem) -> HTTPResponse { response(problem.response.sealed) }

  static func response(_ answer: AdminResponse) -> HTTPResponse {
    var fields = HTTPFields()
    fields.append("content-type", answer.contentType)
    for field in answer.headers { fields.append(field.name, field.value) }
    return HTTPResponse(status: answer.status, fields: fields, body: answer.body)
  }
}
