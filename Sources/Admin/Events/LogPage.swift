import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// A page of a device's log, never longer than its limit.
struct LogPage: Sendable {
  private let start: Simulator.LogCursor
  private let skip: Int
  private let limit: Int
  private var search: Simulator.LogSearch

  init(_ simulator: Simulator, device: DeviceID, process: LogProcess?, from cursor: LogPageCursor?, limit: Int) {
    // By number, so that new lines between two pages do not shift them.
    start =
      cursor?.place
      ?? Simulator.LogCursor(
        push: simulator.readers.logs.pushLog.total + 1, line: simulator.readers.logs.deviceEvents.total + 1)
    skip = cursor?.skip ?? 0
    self.limit = limit
    // The simulator returns all lines of a push together, possibly more than requested.
    search = Simulator.LogSearch(of: device, process: process, before: start, limit: skip > 0 ? skip + 1 : limit)
  }

  /// Continues the search by one portion.
  mutating func look(in simulator: Simulator) { simulator.look(&search, most: BatchSize.records) }

  var isDone: Bool { search.isDone }

  var lines: [LogLine] { Array(search.lines.dropFirst(skip).prefix(limit)) }

  var next: LogPageCursor? {
    search.lines.count - skip > limit
      ? LogPageCursor(start, skip: skip + limit) : search.next.map { LogPageCursor($0, skip: 0) }
  }
}

/// The place at which a device's log continues: a push, a line of the device event log, and the number of the push's
/// lines that were already returned.
struct LogPageCursor: Hashable {
  static let parameter = Parameters.cursor(parts: 3)

  let push: UInt64
  let line: UInt64
  /// The number of lines that were already returned: a push may have more lines than fit on a page.
  let skip: Int

  /// Maximum number of lines at one position that pages can have returned.
  private static let mostSkipped = 10_000

  init(_ place: Simulator.LogCursor, skip: Int) {
    push = place.push
    line = place.line
    self.skip = skip
  }

  /// Nil without a cursor in the query: starts at the newest line.
  init?(_ query: Query) throws(AdminProblem) {
    guard let parts = try query.value(Self.parameter) else { return nil }
    guard parts[2] <= Self.mostSkipped else {
      throw Query.unknownCursor
    }
    push = UInt64(parts[0])
    line = UInt64(parts[1])
    skip = parts[2]
  }

  var place: Simulator.LogCursor { Simulator.LogCursor(push: push, line: line) }
  var text: String { "\(push).\(line).\(skip)" }
}

/// Lines of logs and push stories as JSON.
enum LogJSON {
  static let schema = Schema.object(
    [
      .init("at", .time),
      .init(
        "process", .words(["APNs"] + LogProcess.allCases.map(\.rawValue)),
        meaning: "The process that writes it; `APNs` only in the story of a push, before it reaches the phone."),
      .init(
        "event", .string,
        meaning: "A short name, shared by all lines of its kind: the name of an event, or of a step of a push."),
      .init("sentence", .string, meaning: "What happened."), .maybe("app", .bundleID),
      .maybe(
        "cause", .string,
        meaning: "Why a push was dropped, deferred or discarded, the remarks on it, or why an activity ended."),
      .maybe("activity", .uuid), .maybe("apnsId", .apnsID), .maybe("evidence", .evidence), .maybe("source", .string),
      .maybe("on", .truth, meaning: "The new state of the switch."),
    ] + EventJSON.details
  ).named("LogLine", "One line of a log, or of the story of a push; the other members are its details.")

  static func value(_ line: LogLine, names: WorldNames, device: DeviceID?) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("at", .string(line.at.rfc3339)), .init("process", .string(line.process?.rawValue ?? "APNs")),
      .init("event", .string(line.event)), .init("sentence", .string(line.sentence)),
    ]
    if let cause = line.cause { members.append(.init("cause", .string(cause))) }
    if let device, let deviceEvent = line.deviceEvent {
      members += EventJSON.members(of: deviceEvent, device: device, app: line.app, names: names).filter {
        $0.key != "sentence" && $0.key != "cause"
      }
      if case .activityEnded(_, let cause) = deviceEvent { members.append(.init("cause", .string(cause.rawValue))) }
    } else if let device, let app = line.app {
      members.append(.init("app", .string(names.bundleID(app))))
      if let number = line.activity {
        members.append(.init("activity", .string(names.activity(device, app: app, number: number))))
      }
    }
    if let push = line.push { members.append(.init("apnsId", .string(push.text))) }
    if let evidence = line.evidence {
      members.append(.init("evidence", .string(evidence.kind.rawValue)))
      members.append(.init("source", .string(evidence.source)))
    }
    return .object(members)
  }
}
