import APNs
import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// Tokens: listing all, and registering existing ones.
enum TokenRoutes {
  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let query = context.query
    var filter = try query.filter()
    filter.cell = try cell(query, simulator.world.fleet.plan.cell)
    var start = World.TokenCursor(device: 0, skip: 0)
    if let parts = try query.cursor(parts: 2) {
      start = World.TokenCursor(device: try DeviceRoutes.deviceNumber(parts), skip: parts[1])
    }
    return list(filter, Part(start: start.device, next: start), limit: try query.limit(), context, simulator)
  }

  /// All tokens in one answer, which is sent while the fleet is read.
  static func lines(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    var filter = try context.query.filter()
    filter.cell = try cell(context.query, simulator.world.fleet.plan.cell)
    let lines = TokenLines(filter)
    return .response {
      var response = AdminResponse(status: 200, contentType: "application/jsonl", body: [])
      response.lines = lines
      return response
    }
  }

  /// `3/16`, or just `3` if this server is one of 16 cells. The tokens of another cell are those with which it began.
  private static func cell(_ query: Query, _ own: Cell?) throws(AdminProblem) -> Cell? {
    guard let text = try query.text("cell") else { return nil }
    if let cell = Cell(text) ?? own.flatMap({ Cell("\(text)/\($0.count)") }) { return cell }
    let wanted =
      own.map { "a number from 0 to \($0.count - 1), because this is \($0.words)" }
      ?? "the number of a cell and of all cells such as 3/16, because this server is not a cell"
    throw AdminProblem(query: InputProblem("cell must be \(wanted).", field: "cell"))
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
    _ filter: Filter, _ part: Part, limit: Int, _ context: AdminContext, _ simulator: Simulator
  ) -> AdminReply {
    var part = part
    let left = World.mostScanned - (part.next.device - part.start)
    let page = simulator.world.tokens(
      filter, from: part.next, limit: limit - part.tokens.count, most: min(left, BatchSize.devices),
      examining: BatchSize.shown, at: simulator.now(wall: context.wall).world)
    part.tokens += page.tokens
    part.examined += BatchSize.shown
    if let next = page.next, part.tokens.count < limit, part.examined < World.mostExamined,
      next.device - part.start < World.mostScanned
    {
      part.next = next
      return .more { [part] context, simulator in list(filter, part, limit: limit, context, simulator) }
    }
    let tokens = part.tokens
    return .json([
      "tokens": .array(tokens.map(\.json)), "next": JSONValue(page.next.map { "\($0.device).\($0.skip)" }),
    ])
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
