import APNs
import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// A session as JSON.
enum SessionJSON {
  /// Maximum number of devices listed; the rest is only counted.
  private static let mostDevices = 1000

  /// The newest findings; all of them have a separate list.
  private static let mostFindings = 20

  private typealias Row = (session: TestSession, world: World)

  static var schema: Schema { shape.schema }

  private static let shape = Shape<Row>(
    "Session",
    members: [
      .init("name", .string) { .string($0.session.name) }, .init("open", .truth) { .bool($0.session.isOpen) },
      .init("openedAt", .time) { .string($0.session.openedAt.rfc3339) },
      .init("closedAt", .timeOrNull) { JSONValue($0.session.closedAt?.rfc3339) },
      .init("expiresAt", .timeOrNull, meaning: "By the machine's clock; null for never.") {
        JSONValue($0.session.expiresAt?.rfc3339)
      },
      .init("keys", .list(of: .string).orNull, meaning: "Null if any key matches.") {
        list($0.session.scope.keys?.map(\.id))
      },
      .init("topics", .list(of: .string).orNull) { list($0.session.scope.topics?.map(\.text)) },
      .init("devices", .list(of: .string).orNull, meaning: "The first \(mostDevices).") {
        list($0.session.scope.devices.map { $0.prefix(mostDevices).map(\.text) })
      },
      .init("deviceCount", .integer.orNull) { $0.session.scope.devices.map { JSONValue($0.count) } ?? .null },
      .object("ledger", ledger) { $0.session.pushLog },
      .init(
        "counts", .map(of: .whole),
        meaning:
          "Counts since it was opened, including pushes no longer kept. `dropped` are those that a phone dropped."
      ) { counts($0.session) },
      .init("faults", .whole, meaning: "Number of its faults.") { row in
        let all = row.session.isOpen ? row.world.faults.active : []
        return JSONValue(all.count { $0.fault.session == row.session.name })
      },
      .init("expect", .list(of: .object), meaning: "Its expectations as they were given.") {
        $0.session.given ?? .array([])
      },
      .init("expected", .whole, meaning: "Number of its expectations.") { JSONValue($0.session.expected) },
      .init("passed", .truth.orNull, meaning: "Null while it is open, and without expectations.") {
        $0.session.passed.map { .bool($0) } ?? .null
      },
      .list("expectations", of: Verdict.shape, meaning: "The results of its expectations; empty while it is open.") {
        $0.session.verdicts
      },
      .list("findings", of: FindingRoutes.shape, meaning: "The newest \(mostFindings) findings.") {
        $0.session.auditor.findings.suffix(mostFindings).reversed()
      },
    ])

  private static let ledger = Shape<PushLog>(members: [
    .init("capacity", .positive) { JSONValue($0.capacity) }, .init("kept", .whole) { JSONValue($0.count) },
  ])

  static func value(_ session: TestSession, _ world: World) -> JSONValue { shape.json((session, world)) }

  private static func counts(_ session: TestSession) -> JSONValue {
    func number(_ count: UInt64) -> JSONValue { .integer(Int64(clamping: count)) }
    let metrics = session.metrics
    return [
      "pushes": number(session.pushLog.total), "accepted": number(metrics.accepted),
      "refused": number(session.pushLog.total - metrics.accepted), "delivered": number(metrics.delivered),
      "answered": number(metrics.answered),
      "stored": number(metrics.stored), "discarded": number(metrics.discarded), "dropped": number(metrics.dropped),
      "activitiesStarted": number(metrics.activitiesStarted), "activitiesEnded": number(metrics.activitiesEnded),
      "calls": number(session.calls.total), "findings": number(session.auditor.total),
    ]
  }

  private static func list(_ texts: [String]?) -> JSONValue {
    guard let texts else { return .null }
    return .array(texts.map { .string($0) })
  }
}
