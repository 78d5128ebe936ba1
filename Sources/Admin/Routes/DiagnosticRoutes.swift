import APNs
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Diagnostics: connections and troubles.
enum DiagnosticRoutes {
  static let routes: [Route] = [
    Route(
      "GET /v1/connections", id: "listConnections", tag: .world, summary: "providers connected now", answer: connections
    )
    .meaning("In the order of opening.")
    .paged()
    .answers(connectionPage.answer("A page of open connections.")),
    Route(
      "GET /v1/troubles", id: "listTroubles", tag: .world, summary: "problems of clients, newest first",
      answer: troubles
    )
    .meaning(
      """
      Why a client cannot connect: an untrusted CA, HTTP/1.1, invalid data, no provider token. Repeated
      troubles from the same address are one row with a count. The last 500 rows are kept; `/metrics` counts
      all troubles.
      """
    )
    .paged()
    .answers(troublePage.answer("A page of troubles.")),
  ]

  static func connections(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem)
    -> AdminReply
  {
    let limit = try context.query.limit()
    let after = try context.query.cursor().map { UInt64($0) }
    let (page, hasMore) = simulator.world.openConnections(after: after ?? 0, limit: limit)
    let next = hasMore ? page.last?.id.number : nil
    return .json(connectionPage.json(page.map { connection.json($0) }, next: next))
  }

  /// Newest first. The cursor is the number of a trouble's last occurrence, so new or dropped troubles do not shift
  /// pages.
  static func troubles(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let limit = try context.query.limit()
    let before = try context.query.cursor().map { UInt64($0) } ?? .max
    let kept = simulator.readers.logs.troubles.entries.prefix { $0.number < before }
    let page = Array(kept.suffix(limit))
    let next = page.count < kept.count ? page.first?.number : nil
    return .json(troublePage.json(page.reversed().map { trouble.json($0) }, next: next))
  }

  private static let connectionPage = ListPage("connections", of: connection.schema)
  private static let troublePage = ListPage("troubles", of: trouble.schema)

  private static let connection = Shape<OpenConnection>(
    "Connection",
    members: [
      .init("connection", .integer, meaning: "Its number, as in pushes.") { .integer(Int64(clamping: $0.id.number)) },
      .init("environment", .environment) { .string($0.environment.rawValue) },
      .init("peer", .string, meaning: "Address and port.") { .string($0.peer) },
      .init("pushes", .whole) { .integer(Int64(clamping: $0.pushes)) },
      .init("refused", .whole, meaning: "Number of these that were rejected.") {
        .integer(Int64(clamping: $0.refused))
      },
      .init(
        "certificate", certificate.schema.orNull,
        meaning: "The certificate that the provider has presented; null if the provider authenticates by token."
      ) { $0.certificate.map { certificate.json($0) } ?? .null },
    ])

  private static let certificate = Shape<CertifiedProvider>(members: [
    .init("subject", .string) { .string($0.certificate.subject) },
    .init("topics", .list(of: .string)) { .array($0.certificate.topics.map(JSONValue.string)) },
    .init("environments", .list(of: .environment)) {
      .array(Environment.allCases.filter($0.certificate.environments.contains).map { .string($0.rawValue) })
    },
    .init("notAfter", .time) { .string($0.certificate.notAfter.rfc3339) },
    .init("refused", .string.orNull, meaning: "Why the certificate is rejected; null if it is accepted.") {
      JSONValue($0.refusal?.sentence)
    },
  ])

  private static let trouble = Shape<TroubleLog.Entry>(
    "Trouble",
    members: [
      .init("at", .time) { .string($0.latest.at.rfc3339) },
      .init("kind", .string, meaning: "A short name, as in `pushpit_troubles_total`.") { .string($0.latest.kind) },
      .init("peer", .string, meaning: "Address and port, or the phone of the app.") { .string($0.latest.peer) },
      .init("sentence", .string, meaning: "What went wrong and what to do about it.") { .string($0.latest.sentence) },
      .init("count", .positive, meaning: "Number of occurrences; `at` and `peer` are of the last one.") {
        .integer(Int64(clamping: $0.count))
      },
      .init("first", .time) { .string($0.first.rfc3339) },
    ])
}
