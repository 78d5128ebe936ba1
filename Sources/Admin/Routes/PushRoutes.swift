import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import WireFormats

/// The push log: requests, answers, and explanations.
enum PushRoutes {
  static let routes: [Route] = [
    Route("GET /v1/pushes", id: "listPushes", tag: .ledger, summary: "the ledger: pushes, newest first", answer: list)
      .meaning(
        """
        Every complete request that reached the gateway, accepted or rejected; when the ledger is full, the
        oldest are dropped. All filters must match.
        """
      )
      .takes(
        .filter("apnsId", "Only pushes with this `apns-id`, ignoring case. A backend may use an id twice."),
        .filter("status", "Only pushes for which APNs decided this status. For sent answers use `sent`.", example: 410),
        .filter(
          "sent",
          """
          Only pushes with this sent answer: a status, or the name of a kind such as `reset`, `nothing` or
          `pending`.
          """, example: "nothing"),
        .filter("reason", "Only pushes rejected with this reason."),
        .filter("topic", "Only pushes with exactly this `apns-topic`.", example: "com.example.app"),
        .filter("token", "Only pushes to this device token, as in the path, ignoring case."),
        .filter("device", "Only pushes to a token of this device."),
        .filter("app", "Only pushes to a token of the app with this bundle id."),
        .filter("environment", "Only pushes to this environment."),
        .filter("pushType", "Only pushes of this `apns-push-type`."),
        .filter("priority", "Only pushes of this priority; a push without the header has 10."),
        .filter("tokenKind", "Only pushes to tokens of this kind."),
        .filter("connection", "Only pushes on the connection with this number."),
        .filter(
          "fate", "Only pushes with this fate, in the wording of Apple's console.", example: "Delivered to Device"),
        .filter(
          "outcome", "Only pushes with this reaction of the phone, such as `updated` or `dropped`.",
          example: "dropped"),
        .filter(
          "cause", "Only pushes that were dropped, stored or remarked upon for this cause, such as `stale-timestamp`.",
          example: "stale-timestamp"),
        .filter("fault", "Only pushes that the fault with this name struck."),
        .session(
          """
          Only pushes of the session with this name, open or closed; of a closed one as they were when it was
          closed.
          """)
      )
      .paged()
      .answers(page.answer("A page of pushes."), .notFound, .forgotten),
    Route(
      "GET /v1/pushes/{apnsId}", id: "getPush", tag: .ledger,
      summary: "the newest push with that id, and the reason for its answer", answer: one
    )
    .takes(.push)
    .answers(.json("The request, the answer, and an explanation.", PushJSON.schema), .notFound),
  ]

  private static let page = ListPage("pushes", of: PushJSON.schema)

  /// A page of the push log, or of the push log of one session.
  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let query = context.query
    let session = try query.value(Parameters.session)
    if let session { _ = try SessionRoutes.session(session, simulator) }
    let filter = try query.filter()
    let before = try query.cursor().map { UInt64($0) }
    let apps = simulator.world.fleet.plan.apps.map(\.bundleID)
    let search = PushLog.Search(filter, apps: apps, before: before, limit: try query.limit())
    return try look(search, session: session, on: simulator) { found in
      page.json(found.pushes.map { PushJSON.value($0, found.names) }, next: found.next)
    }
  }

  static func one(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    try one(of: context.captures[0], simulator) { PushJSON.whole($0, $1) }
  }

  /// The newest push of an `apns-id` or `apns-unique-id`.
  static func one(
    of name: String, _ simulator: Simulator, _ write: @escaping @Sendable (PushRecord, WorldNames) -> JSONValue
  ) throws(AdminProblem) -> AdminReply {
    guard let id = NotificationID(name) else {
      throw AdminProblem(
        400, "\(Wording.quoted(name)) is not an apns-id; it must be a UUID in its canonical form 8-4-4-4-12.",
        field: "apnsId")
    }
    var filter = Filter()
    filter.id = id
    return try look(PushLog.Search(filter, before: nil, limit: 1, asksForMore: false), session: nil, on: simulator) {
      (found) throws(AdminProblem) in
      guard let record = found.pushes.first else {
        throw AdminProblem(
          404,
          "The push log has no push \(id.text). It keeps the last \(found.capacity); GET /v1/pushes lists them.",
          field: "apnsId")
      }
      return write(record, found.names)
    }
  }

  /// The state of a search.
  private struct Found: Sendable {
    let pushes: [PushRecord]
    let next: UInt64?
    let capacity: Int
    let names: WorldNames
  }

  private typealias Writing = @Sendable (Found) throws(AdminProblem) -> JSONValue

  /// Searches a push log, one portion per hold of the lock.
  private static func look(
    _ begun: PushLog.Search, session: String?, on simulator: Simulator, write: @escaping Writing
  ) throws(AdminProblem) -> AdminReply {
    var search = begun
    let pushLog = try session.map { (name) throws(AdminProblem) in try SessionRoutes.session(name, simulator).pushLog }
    let searched = pushLog ?? simulator.readers.logs.pushLog
    search.look(in: searched, most: BatchSize.records)
    guard search.isDone else {
      return .more { [search] (_, simulator) throws(AdminProblem) in
        try look(search, session: session, on: simulator, write: write)
      }
    }
    let found = Found(
      pushes: search.pushes, next: search.next, capacity: searched.capacity,
      names: simulator.world.names(for: search.pushes))
    return .response {
      do throws(AdminProblem) {
        return .json(try write(found))
      } catch {
        return error.response
      }
    }
  }
}
