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
  static let routes: [Route] = [
    Route(
      "GET /v1/tokens", id: "listTokens", tag: .fleet, summary: "the tokens of devices, in pages or as lines",
      answer: list
    )
    .meaning(
      """
      Every token that an app, service, attributes type or activity has had, as a backend would have received
      them by now; replaced tokens are marked as dead. The same fleet with the same seed has the same tokens
      after a restart.

      A client whose `Accept` names `application/x-ndjson` gets all of them in one answer, one JSON object on
      each line, without `limit` and `cursor`. That answer is sent while the fleet is read, so it may be of
      any length; each device is shown as it is when it is reached. At most 16 clients read such an answer or
      the event stream at the same time.
      """
    )
    .takes(
      .filter("device", "Only tokens of this device. A device that the fleet does not have is an error."),
      .filter("user", "Only tokens of this person's phones. A user that the fleet does not have is an error."),
      .filter("kind", "Only tokens of this kind."),
      .filter("app", "Only tokens of the app with this bundle id.", example: "com.example.app"),
      .filter("environment", "Only tokens that this environment has issued."),
      .filter(
        "live",
        """
        Only valid tokens of installed apps and running activities, or only dead tokens. A dead token may still be
        answered 200 for a while, because APNs learns of it late.
        """, opposite: "dead"),
      TokenSearch.cell(
        """
        Only tokens of the devices of this cell: a number, if the server is a cell itself, or a number and the
        number of cells. Of another cell, the tokens with which it began. Without the parameter, a cell lists
        the tokens of its own devices.
        """, example: "3/16")
    )
    .paged(by: cursor)
    .answers(
      Answer(
        200, "A page of tokens, or all tokens as lines.",
        as: [.json(page.schema), .text("application/x-ndjson")]),
      .tooManyViewers),
    Route(
      "POST /v1/tokens", id: "registerToken", tag: .fleet, summary: "register a token you already have",
      answer: register
    )
    .meaning(
      """
      Makes a token from your database or a recorded request the current token of an app, service, attributes
      type or running activity. The previous token becomes unknown.
      """
    )
    .body(
      .token,
      examples: [
        .init(
          "device", "A device token",
          value: [
            "token": "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a", "kind": "device",
            "device": "d3", "app": "com.example.app",
          ]
        )
      ]
    )
    .answers(
      .created("The token belongs to the device from now on.", TokenView.shape.schema),
      .notFound,
      .error(409, "This token already belongs to a device.")),
  ]

  private static let page = ListPage("tokens", of: TokenView.shape.schema)
  private static let cursor = Parameters.cursor(parts: 2)

  /// A page of tokens, or all of them for a client that accepts lines.
  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let query = context.query
    let search = try TokenSearch(query, simulator)
    let (limit, cursor) = (try query.limit(), try query.value(cursor))
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
      .json(Self.page.json(tokens.map(\.json), next: next), headers: [AdminResponse.Header("vary", "accept")])
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
