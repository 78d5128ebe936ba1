import APNs
import Devices
import Simulation
import WireFormats

/// The ledger: what was asked, what was answered, and why.
enum PushRoutes {
  static func list(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    guard let name = visit.query.text("session") else {
      return try page(visit.query, station.chronicle.ledger, station.world)
    }
    return try page(visit.query, try SessionRoutes.session(name, station).ledger, station.world)
  }

  static func page(_ query: Query, _ ledger: Ledger, _ world: World) throws(AdminProblem) -> AdminResponse {
    let filter = try filter(query)
    let before = try query.cursor().map { UInt64($0[0]) }
    let page = ledger.list(filter, before: before, limit: try query.limit())
    return .json([
      "pushes": .array(page.pushes.map { PushJSON.value($0, world) }),
      "next": JSONValue(page.next.map { String($0) }),
    ])
  }

  static func one(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let name = visit.captures[0]
    guard let id = NotificationID(name) else {
      throw AdminProblem(
        400, "\(Words.quoted(name)) is no apns-id; one is a UUID in its canonical form 8-4-4-4-12.", field: "apnsId")
    }
    guard let record = station.chronicle.ledger.push(id) else {
      throw AdminProblem(
        404,
        "The ledger has no push \(id.text); it keeps the last \(station.chronicle.ledger.capacity), and "
          + "GET /v1/pushes lists them.",
        field: "apnsId")
    }
    return .json(PushJSON.value(record, station.world))
  }

  private static func filter(_ query: Query) throws(AdminProblem) -> Ledger.Filter {
    var filter = Ledger.Filter()
    if let text = query.text("apnsId") {
      guard let id = NotificationID(text) else {
        throw query.problem("apnsId", "a UUID in its canonical form 8-4-4-4-12")
      }
      filter.id = id
    }
    filter.status = try query.number("status", 100...599)
    if let text = query.text("sent") {
      guard let sent = SentFilter(text) else {
        throw query.problem("sent", "a status from 100 to 599, or one of \(SentAnswer.names.joined(separator: ", "))")
      }
      filter.sent = sent
    }
    filter.reason = try query.choice("reason", RejectionReason.allCases.map { (name: $0.rawValue, value: $0) })
    filter.topic = query.text("topic")
    filter.token = query.text("token")
    if let text = query.text("device") {
      guard let device = DeviceID(text) else { throw query.problem("device", "the id of a device, such as d17") }
      filter.device = device
    }
    filter.environment = try query.choice("environment", Environment.choices)
    return filter
  }
}
