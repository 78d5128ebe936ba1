import Devices
import Reporting
import Simulation
import Timeline
import WireFormats

/// What the apps have told their backends.
enum CallRoutes {
  /// Newest first. A call's place says where to go on, whatever is forgotten meanwhile.
  static func list(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    try page(visit.query, station.chronicle.calls, station.world)
  }

  static func page(_ query: Query, _ calls: CallLog, _ world: World) throws(AdminProblem) -> AdminResponse {
    let limit = try query.limit()
    let before = try query.cursor().map { UInt64($0[0]) } ?? .max
    var device: DeviceID?
    if let text = query.text("device") {
      device = DeviceID(text)
      if device == nil { throw query.problem("device", "the id of a device, such as d17") }
    }
    let app = query.text("app")
    let event = query.text("event")
    let failed = try query.choice("failed", [("true", true), ("false", false)])
    var page: [JSONValue] = []
    var next: UInt64?
    for (place, end) in calls.newest(before: before) {
      if let device, end.device != device { continue }
      if let app, world.fleet.plan.apps[end.app].bundleID != app { continue }
      if let event, end.event != event { continue }
      if let failed, end.outcome.isSuccess == failed { continue }
      guard page.count < limit else { break }
      page.append(value(end, world))
      next = place
    }
    let hasMore = page.count == limit && (next ?? 0) > calls.oldest
    return .json([
      "calls": .array(page), "next": JSONValue(hasMore ? next.map(String.init) : nil),
    ])
  }

  static func value(_ end: CallEnd, _ world: World) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("number", .integer(Int64(clamping: end.number))), .init("at", .string(end.began.rfc3339)),
      .init("endedAt", .string(end.at.rfc3339)), .init("device", .string(end.device.text)),
      .init("app", .string(world.fleet.plan.apps[end.app].bundleID)), .init("event", .string(end.event)),
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
