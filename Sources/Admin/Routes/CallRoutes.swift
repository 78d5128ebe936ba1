import APNs
import Devices
import Grammar
import Reporting
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The calls of apps to their backends.
enum CallRoutes {
  static let routes: [Route] = [
    Route(
      "GET /v1/calls", id: "listCalls", tag: .ledger, summary: "calls of apps to their backends, newest first",
      answer: list
    )
    .meaning("Ended calls with their answers. As many are kept as pushes in the ledger.")
    .takes(
      .filter("device", "Only calls from this device."),
      .filter("app", "Only calls of the app with this bundle id."),
      .filter("event", "Only calls made at this event of the profile, such as pushToStartToken."),
      .filter("status", "Only calls that were answered with this status."),
      .filter("failure", "Only calls that failed for this reason, such as `offline`.", example: "offline"),
      .filter(
        "failed", "Only calls not answered with 2xx, or only calls answered with 2xx.", opposite: "answered"),
      .session("Only calls of the apps of the session with this name, open or closed.")
    )
    .paged()
    .answers(page.answer("A page of calls."), .notFound, .forgotten)
  ]

  private static let page = ListPage("calls", of: shape.schema)

  static var schema: Schema { shape.schema }

  static let shape = Shape<(end: CallEnd, names: WorldNames)>(
    "Call",
    members: [
      .init("number", .positive, meaning: "Its number among the calls of all apps.") {
        .integer(Int64(clamping: $0.end.number))
      },
      .init("at", .time) { .string($0.end.began.rfc3339) }, .init("endedAt", .time) { .string($0.end.at.rfc3339) },
      .init("device", .deviceID) { .string($0.end.device.text) },
      .init("app", .string, meaning: "Bundle id.") { .string($0.names.bundleID($0.end.app)) },
      .init("event", .string, meaning: "The event of the profile that caused it.") { .string($0.end.event) },
      .init("method", .string) { .string($0.end.method) },
      .init("url", .string.orNull, meaning: "Null if the request could not be made.") { JSONValue($0.end.url) },
      .init("body", .string.orNull, meaning: "Its first 4096 characters.") { JSONValue($0.end.body) },
      .init("status", .integer.orNull) { answer(of: $0.end).map { JSONValue($0.status) } ?? .null },
      .init("answer", .any, meaning: "The answer's body, if it was JSON.") { answer(of: $0.end)?.body ?? .null },
      .init("failure", .words(CallOutcome.Failure.self).orNull) { JSONValue(failure(of: $0.end)?.rawValue) },
      .init("sentence", .string) { .string($0.end.outcome.sentence) },
    ])

  private static func answer(of end: CallEnd) -> (status: Int, body: JSONValue?)? {
    if case .answered(let status, let body) = end.outcome { (status, body) } else { nil }
  }

  private static func failure(of end: CallEnd) -> CallOutcome.Failure? {
    if case .failed(let failure, _) = end.outcome { failure } else { nil }
  }

  /// A page of all calls, or of those of one session, newest first. A call's number is the cursor, so dropped calls do
  /// not shift pages.
  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let query = context.query
    let session = try query.value(Parameters.session)
    if let session { _ = try SessionRoutes.session(session, simulator) }
    let part = Part(
      limit: try query.limit(), before: try query.cursor().map { UInt64($0) } ?? .max,
      filter: CallFilter(try query.filter(), simulator.world.fleet.plan))
    return try look(part, session: session, on: simulator)
  }

  /// The filter, and the rows collected so far.
  private struct Part: Sendable {
    let limit: Int
    /// The number of the call before which the search continues.
    var before: UInt64
    let filter: CallFilter
    var rows: [(place: UInt64, end: CallEnd)] = []

    init(limit: Int, before: UInt64, filter: CallFilter) {
      self.limit = limit
      self.before = before
      self.filter = filter
    }
  }

  /// Searches the calls, one portion per hold of the lock.
  private static func look(
    _ begun: Part, session: String?, on simulator: Simulator
  ) throws(AdminProblem) -> AdminReply {
    var part = begun
    let own = try session.map { (name) throws(AdminProblem) in try SessionRoutes.session(name, simulator).calls }
    let calls = own ?? simulator.readers.logs.calls
    let names = simulator.world.names
    var looked = 0
    for (place, end) in calls.newest(before: part.before) {
      guard part.rows.count < part.limit else { break }
      guard looked < BatchSize.records else {
        return .more { [part] (_, simulator) throws(AdminProblem) in try look(part, session: session, on: simulator) }
      }
      looked += 1
      part.before = place
      if part.filter.matches(end) { part.rows.append((place, end)) }
    }
    let hasMore = part.rows.count == part.limit && (part.rows.last?.place ?? 0) > calls.oldest
    let rows = part.rows
    return .json(page.json(rows.map { shape.json(($0.end, names)) }, next: hasMore ? rows.last?.place : nil))
  }
}
