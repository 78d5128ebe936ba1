import APNs
import Devices
import Reporting
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The calls of apps to their backends.
enum CallRoutes {
  /// The filters of the list.
  static let filters = ["device", "app", "event", "status", "failure", "failed", "session"]

  /// A page of all calls, or of those of one session, newest first. A call's number is the cursor, so dropped calls do
  /// not shift pages.
  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let query = context.query
    let session = try query.text("session")
    if let session { _ = try SessionRoutes.session(session, simulator) }
    let part = Part(
      limit: try query.limit(), before: try query.cursor().map { UInt64($0[0]) } ?? .max,
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
    return .json([
      "calls": .array(rows.map { value($0.end, names) }),
      "next": JSONValue(hasMore ? rows.last.map { String($0.place) } : nil),
    ])
  }

  static func value(_ end: CallEnd, _ names: WorldNames) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("number", .integer(Int64(clamping: end.number))), .init("at", .string(end.began.rfc3339)),
      .init("endedAt", .string(end.at.rfc3339)), .init("device", .string(end.device.text)),
      .init("app", .string(names.bundleID(end.app))), .init("event", .string(end.event)),
      .init("method", .string(end.method)), .init("url", JSONValue(end.url)), .init("body", JSONValue(end.body)),
    ]
    switch end.outcome {
    case .answered(let status, let body):
      members += [
        .init("status", JSONValue(status)), .init("answer", body ?? .null), .init("failure", .null),
        .init("sentence", .string(end.outcome.sentence)),
      ]
    case .failed(let failure, let sentence):
      members += [
        .init("status", .null), .init("answer", .null), .init("failure", .string(failure.rawValue)),
        .init("sentence", .string(sentence)),
      ]
    }
    return .object(members)
  }
}
