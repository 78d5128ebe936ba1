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
      .init("ledger", .object([.init("capacity", .positive), .init("kept", .whole)])) {
        ["capacity": JSONValue($0.session.pushLog.capacity), "kept": JSONValue($0.session.pushLog.count)]
      },
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
      .init("expectations", .list(of: verdict), meaning: "The results of its expectations; empty while it is open.") {
        .array($0.session.verdicts.map(\.json))
      },
      .init("findings", .list(of: FindingRoutes.shape.schema), meaning: "The newest \(mostFindings) findings.") {
        .array($0.session.auditor.findings.suffix(mostFindings).reversed().map { FindingRoutes.shape.json($0) })
      },
    ])

  /// The result of an expectation, as `Verdict.json` writes it.
  static let verdict = Schema.object([
    .init("name", .string), .init("place", .string, meaning: "Its place in the list, such as `expect[0]`."),
    .init("at", .string, meaning: "How long the session had been open at the evaluation."), .init("passed", .truth),
    .init("wanted", .string), .init("found", .string),
    .init("nearest", .string.orNull, meaning: "The nearest match, and how it differs."),
    .init("pushes", .list(of: .string), meaning: "The pushes that caused a failure."),
    .init("calls", .list(of: .string), meaning: "The calls that caused a failure."),
    .init("findings", .list(of: .string), meaning: "The findings that caused a failure."),
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
