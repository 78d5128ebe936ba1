import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The audit's findings about the backend.
enum FindingRoutes {
  static let routes: [Route] = [
    Route(
      "GET /v1/findings", id: "listFindings", tag: .ledger, summary: "mistakes of the backend, newest first",
      answer: list
    )
    .meaning("Needs a server with `--audit`, or a session. At least the last 1,000 are kept; counts include all.")
    .takes(
      kind("Only findings of this kind."),
      .session("Only findings of the session with this name, open or closed. Sessions are always audited.")
    )
    .paged()
    .answers(rows.answer("A page of findings."), .notFound, .error(409, "Auditing is off."), .forgotten)
  ]

  private static let rows = ListPage(
    "findings", of: shape.schema,
    with: [
      .init("counts", .map(of: .whole)),
      .maybe(
        "forgotten", .whole,
        meaning: """
          Tokens, reports and activities that the audit no longer remembers, because there were more than 200,000
          of a kind. Unless it is 0, findings about them may be missing.
          """),
    ])
  private static let kind = Parameter<AuditFinding.Kind>("kind", as: .word(), .findingKind)

  static let shape = Shape<AuditFinding>(
    "Finding",
    members: [
      .init("number", .positive) { .integer(Int64(clamping: $0.number)) },
      .init("kind", .findingKind) { .string($0.kind.rawValue) }, .init("at", .time) { .string($0.at.rfc3339) },
      .init("device", .string.orNull) { JSONValue($0.device?.text) },
      .init("apnsId", .string.orNull) { JSONValue($0.push?.text) }, .init("sentence", .string) { .string($0.sentence) },
      .init("evidence", .evidence) { .string($0.evidence.kind.rawValue) },
      .init("source", .string) { .string($0.evidence.source) },
    ])

  /// A page of all findings, or of those of one session, newest first. A finding's number is the cursor, so dropped
  /// findings do not shift pages.
  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    if let session = try context.query.value(Parameters.session) {
      return try page(context.query, try SessionRoutes.session(session, simulator).auditor)
    }
    guard let auditor = simulator.readers.logs.auditor else {
      // An invalid query is reported first.
      _ = try page(context.query, Auditor())
      throw AdminProblem(
        409, "Auditing is off; start with --audit, set audit to true, or ask for the findings of a session.")
    }
    return try page(context.query, auditor)
  }

  private static func page(_ query: Query, _ auditor: Auditor) throws(AdminProblem) -> AdminReply {
    let limit = try query.limit()
    let before = try query.cursor().map { UInt64($0) } ?? .max
    let kind = try query.value(kind)
    let kept = auditor.findings.filter { $0.number < before && (kind == nil || $0.kind == kind) }
    let page = Array(kept.suffix(limit))
    let next = page.count < kept.count ? page.first?.number : nil
    let counts = AuditFinding.Kind.allCases.map { ($0, auditor.count($0)) }
    let forgotten = Int64(clamping: auditor.counts.forgotten)
    return .json(
      rows.json(
        page.reversed().map { shape.json($0) },
        with: [
          .init("counts", .object(counts.map { .init($0.rawValue, .integer(Int64(clamping: $1))) })),
          .init("forgotten", .integer(forgotten)),
        ], next: next))
  }
}
