import APNs
import Devices
import Grammar
import Orders
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Tokens: listing all, and registering existing ones.
enum TokenRoutes {
  /// A page of tokens, or all of them for a client that accepts lines.
  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let query = context.query
    let search = try TokenSearch(query, simulator)
    let (limit, cursor) = (try query.limit(), try query.cursor(parts: 2))
    guard !context.request.accepts(TokenLines.contentType) else {
      if let paging = query.given(of: ["limit", "cursor"]).first {
        throw AdminProblem(
          query: InputProblem(
            "\(paging) is only for pages; \(TokenLines.contentType) has all tokens in one answer.", field: paging,
            code: .contradiction))
      }
      let lines = TokenLines(search)
      return .response {
        var response = AdminResponse(
          status: 200, contentType: TokenLines.contentType, body: [], headers: [AdminResponse.Header("vary", "accept")])
        response.lines = lines
        return response
      }
    }
    let start = try cursor.map { (parts) throws(AdminProblem) in try search.start(at: parts) } ?? search.start
    return list(search, part: Part(start: start.device, next: start), limit: limit, in: context, on: simulator)
  }

  /// The rows collected so far.
  private struct Part: Sendable {
    /// The device with which the page began.
    let start: UInt32
    var next: World.TokenCursor
    var examined = 0
    var tokens: [TokenView] = []
  }

  /// Goes through the fleet, one portion per hold of the lock.
  private static func list(
    _ search: TokenSearch, part: Part, limit: Int, in context: AdminContext, on simulator: Simulator
  ) -> AdminReply {
    var part = part
    let left = World.mostScanned - (part.next.device - part.start)
    let page = search.page(
      simulator.world, from: part.next, limit: limit - part.tokens.count, most: min(left, BatchSize.devices),
      at: simulator.now(wall: context.wall).world)
    part.tokens += page.tokens
    part.examined += BatchSize.shown
    if let next = page.next, part.tokens.count < limit, part.examined < World.mostExamined,
      next.device - part.start < World.mostScanned
    {
      part.next = next
      return .more { [part] context, simulator in list(search, part: part, limit: limit, in: context, on: simulator) }
    }
    let tokens = part.tokens
    let next = page.next.map { "\($0.device).\($0.skip)" }
    return .response {
      .json(
        ["tokens": .array(tokens.map(\.json)), "next": JSONValue(next)],
        headers: [AdminResponse.Header("vary", "accept")])
    }
  }

  static func register(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let order = try context.read(RequestBody.token) { fields throws(InputProblem) in
      try TokenReader.read(fields)
    }
    let now = simulator.now(wall: context.wall)
    do throws(CommandProblem) {
      try simulator.world.perform(order, at: now)
    } catch {
      throw AdminProblem(error)
    }
    for event in context.settle(&simulator) {
      guard case .phone(let device, let app?, .tokenRegistered(let slot), _) = event,
        let token = simulator.world.token(device, app: app, slot: slot, at: now.world)
      else { continue }
      return .json(status: 201, token.json)
    }
    preconditionFailure("a successful registration is reported")
  }
}
