import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The numbers of pushes that have reached each delivery status, as Apple's push console shows them.
enum DeliveryRoutes {
  static let routes: [Route] = [
    Route(
      "GET /v1/deliveries", id: "listDeliveries", tag: .ledger,
      summary: "how many pushes reached each delivery status, as Apple's push console counts them", answer: metrics
    )
    .meaning(
      """
      A push counts once for each status that it reaches: a push that was stored and delivered later counts as
      received, stored and delivered from storage. The hour is the hour of the world's clock in which the
      status was reached. The last 30 days are kept, 20,000 rows at most.
      """
    )
    .takes(
      members(
        """
        What the rows are grouped by: one or more of app, environment, pushType, priority, status and hour,
        separated by commas.
        """, example: "pushType,priority,status,hour"),
      .filter("app", "Only pushes to this app.", example: "com.example.app"),
      .filter("environment", "Only pushes of this environment."),
      .filter("pushType", "Only pushes of this `apns-push-type`."),
      .filter("priority", "Only pushes of this priority; a push without the header has 10."),
      last("Only the hours of this time before now, such as 24h; the first may be covered in part."),
      format("CSV has a header line, lines end in CR LF, and an absent value is an empty cell (RFC 4180).")
    )
    .answers(
      Answer(
        200, "The rows, in the order of the hours.",
        as: [
          .json(
            .object([
              .init("by", .list(of: .words(Member.self))),
              .init(
                "deliveries",
                .list(
                  of: .object(Member.allCases.map(\.described) + [.init("count", .positive)])
                ).with(["maxItems": JSONValue(mostRows)])),
            ])), .text("text/csv"),
        ]),
      .error(422, "More than 10,000 rows.")),
    Route(
      "GET /v1/deliveries/{apnsId}", id: "getDeliveryLog", tag: .ledger, summary: "the delivery log of one push",
      answer: log
    )
    .meaning(
      """
      As Apple's push console shows it for an `apns-unique-id` of the sandbox. Pushpit takes an `apns-id` too,
      and the production environment.
      """
    )
    .takes(.push)
    .answers(.json("The statuses that the push has reached, the latest last.", pushLog.schema), .notFound),
  ]

  private static let pushLog = Shape<(record: PushRecord, names: WorldNames)>(members: [
    .init("apnsId", .apnsID) { .string($0.record.answer.id.text) },
    .init("apnsUniqueId", .string.orNull) { JSONValue($0.record.answer.uniqueID?.text) },
    .init("app", .string.orNull) { row in JSONValue(row.record.address.map { row.names.bundleID($0.app) }) },
    .init("device", .string.orNull) { JSONValue($0.record.address?.device.text) },
    .init("environment", .environment) { .string($0.record.environment.rawValue) },
    .list("deliveries", of: delivery) { $0.record.deliveries },
  ])

  private static let delivery = Shape<(status: DeliveryStatus, at: Instant)>(members: [
    .init("at", .time) { .string($0.at.rfc3339) }, .init("status", .deliveryStatus) { .string($0.status.words) },
  ])

  private enum Format: String, CaseIterable {
    case json
    case csv
  }

  private static let members: Parameter<String> = {
    let word = "(\(Member.allCases.map(\.rawValue).joined(separator: "|")))"
    return Parameter("by", as: .text, .string.with(["default": "status", "pattern": .string("^\(word)(,\(word))*$")]))
  }()
  private static let last = Parameter("last", as: .duration, .string.example("24h"))
  private static let format = Parameter<Format>("format", as: .word(), .words(Format.self).with(["default": "json"]))

  /// The filter, with the apps that the fleet has.
  private static func app(of apps: [AppProfile]) -> Parameter<String> {
    Parameter("app", .bundleID) { (fields, name) throws(InputProblem) in
      try fields.word(name, among: apps.map(\.bundleID))
    }
  }

  /// The members by which rows can be distinguished.
  enum Member: String, CaseIterable {
    case app
    case environment
    case pushType
    case priority
    case status
    case hour

    var described: Schema.Member {
      switch self {
      case .app: .maybe(rawValue, .string.orNull, meaning: "Null if the device token is unknown.")
      case .environment: .maybe(rawValue, .environment)
      case .pushType: .maybe(rawValue, .string.orNull, meaning: "Null if the header is missing or invalid.")
      case .priority: .maybe(rawValue, .integer.with(["enum": [1, 5, 10]]))
      case .status: .maybe(rawValue, .deliveryStatus)
      case .hour: .maybe(rawValue, .time)
      }
    }
  }

  /// More rows than anybody reads; the answer to a question that is too wide would be megabytes.
  static let mostRows = 10_000

  static func metrics(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let query = context.query
    let names = simulator.world.names
    let by = try members(query)
    _ = try query.value(app(of: names.apps))
    let filter = DeliveryFilter(try query.filter(), apps: names.apps.map(\.bundleID))
    let first = try query.value(last).map {
      simulator.now(wall: context.wall).world.advanced(by: .zero - $0).nanoseconds / 3_600_000_000_000
    }
    let format = try query.value(format) ?? .json
    let kept = simulator.readers.logs.deliveries.rows
    return .response {
      let rows = kept.filter { row in filter.matches(row) && (first.map { row.hour >= $0 } ?? true) }
      let table = Table(rows, by: by, names)
      guard table.rows.count <= mostRows else {
        return AdminProblem(
          422,
          "These are \(table.rows.count) rows; at most \(mostRows) are listed. Give fewer members in `by`, or narrow it"
            + " by app, environment or last, such as last=24h.", field: "by"
        ).response
      }
      return format == .csv ? .text(table.csv, contentType: "text/csv; charset=utf-8") : .json(table.json)
    }
  }

  /// The delivery log of one push.
  static func log(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    try PushRoutes.one(of: context.captures[0], simulator) { pushLog.json(($0, $1)) }
  }

  private static func members(_ query: Query) throws(AdminProblem) -> [Member] {
    guard let text = try query.value(members) else { return [.status] }
    let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let members = words.compactMap(Member.init)
    guard members.count == words.count, Set(members).count == words.count else {
      let known = Member.allCases.map(\.rawValue)
      let unknown = words.first { Member(rawValue: $0) == nil }
      throw AdminProblem(
        query: InputProblem(
          "by must be a list of \(Wording.list(known)), each at most once, separated by commas, not"
            + " \(Wording.quoted(text))" + (unknown.map { Wording.suggestion(for: $0, among: known) } ?? "."),
          field: "by"))
    }
    return members
  }

  /// Counts, summed over the members that were not asked for.
  private struct Table {
    /// The cells, then the count.
    private(set) var rows: [(cells: [JSONValue], count: UInt64)] = []
    private let by: [Member]

    init(_ kept: [DeliveryMetrics.Row], by: [Member], _ names: WorldNames) {
      self.by = by
      var places: [[JSONValue]: Int] = [:]
      for row in kept {
        for status in DeliveryStatus.allCases where row.count(status) > 0 {
          let cells = by.map { Self.cell($0, row: row, status: status, names: names) }
          let place = places[cells] ?? rows.count
          if place == rows.count {
            rows.append((cells, 0))
            places[cells] = place
          }
          rows[place].count += row.count(status)
        }
      }
    }

    private static func cell(
      _ member: Member, row: DeliveryMetrics.Row, status: DeliveryStatus, names: WorldNames
    ) -> JSONValue {
      switch member {
      case .app: JSONValue(row.traits.app.map { names.bundleID($0) })
      case .environment: .string(row.traits.environment.rawValue)
      case .pushType: JSONValue(row.traits.type?.rawValue)
      case .priority: JSONValue(row.traits.priority.rawValue)
      case .status: .string(status.words)
      case .hour: .string(Instant(seconds: row.hour * 3600).rfc3339)
      }
    }

    var json: JSONValue {
      [
        "by": .array(by.map { .string($0.rawValue) }),
        "deliveries": .array(
          rows.map { row in
            .object(
              zip(by, row.cells).map { .init($0.rawValue, $1) } + [.init("count", .integer(Int64(clamping: row.count)))]
            )
          }),
      ]
    }

    /// RFC 4180, with a header line. An absent value is an empty cell.
    var csv: String {
      let lines = rows.map { row in
        (row.cells.map { Self.csv($0) } + [String(row.count)]).joined(separator: ",")
      }
      return ([(by.map(\.rawValue) + ["count"]).joined(separator: ",")] + lines).map { $0 + "\r\n" }.joined()
    }

    private static func csv(_ cell: JSONValue) -> String {
      let text = cell.string ?? cell.integer.map { String($0) } ?? ""
      guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
      return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
  }
}
