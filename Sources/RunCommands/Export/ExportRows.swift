import APNs
import Admin
import Devices
import Reporting
import Simulation
import Timeline
import WireFormats

/// Makes the rows of the tables from the events of a run.
///
/// It keeps no rows. What it keeps is limited: the calls that have not ended, and what the auditor remembers.
struct ExportRows {
  /// Receives each row, with a cell for each column of its table.
  typealias Sink = (ExportTable, [JSONValue]) throws -> Void

  private var auditor = Auditor()
  private var findings: UInt64 = 0
  /// Number of times that the world had begun anew at the last batch.
  private var beginnings: UInt64 = 0
  private var events: Int64 = 0
  private var openCalls: [UInt64: (record: CallRecord, bundleID: String)] = [:]

  mutating func read(_ list: [WorldEvent], _ world: World, at now: Now, to sink: Sink) throws {
    let names = world.names(for: list)
    for event in list {
      switch event {
      case .push(let record): try sink(.pushes, PushRow.cells(record, names))
      case .call(let record):
        // A second copy has the number of the first; its answer is ignored.
        if !record.isCopy { openCalls[record.number] = (record, names.bundleID(record.app)) }
      case .callEnded(let end):
        openCalls[end.number] = nil
        try sink(.calls, Self.cells(end, names))
      default:
        events += 1
        try sink(.events, EventRow.cells(event, number: events, at: now.world, names))
      }
      auditor.read(event)
      guard auditor.total > findings else { continue }
      for finding in auditor.findings.reversed().prefix(while: { $0.number > findings }).reversed() {
        try sink(.findings, Self.cells(finding))
      }
      findings = auditor.total
    }
    guard world.beginnings != beginnings else { return }
    beginnings = world.beginnings
    auditor.beginAnew()
  }

  /// The rows of the calls that had not ended when the tape did.
  func finish(to sink: Sink) throws {
    for (number, open) in openCalls.sorted(by: { $0.key < $1.key }) {
      let (record, bundleID) = open
      try sink(
        .calls,
        [
          .integer(Int64(clamping: number)), .string(record.at.rfc3339), .integer(record.at.microseconds), .null,
          .string(record.device.text), .string(bundleID), .string(record.call.event), .string(record.call.method),
          .string(record.call.url), JSONValue(record.call.body), .null, .null, .null,
        ])
    }
  }

  private static func cells(_ end: CallEnd, _ names: WorldNames) -> [JSONValue] {
    var failed: String?
    if case .failed(let failure, _) = end.outcome { failed = failure.rawValue }
    return [
      .integer(Int64(clamping: end.number)), .string(end.began.rfc3339), .integer(end.began.microseconds),
      .integer(end.at.microseconds), .string(end.device.text), .string(names.bundleID(end.app)), .string(end.event),
      .string(end.method), JSONValue(end.url), JSONValue(end.body), end.outcome.status.map { JSONValue($0) } ?? .null,
      JSONValue(failed), .string(end.sentence),
    ]
  }

  private static func cells(_ finding: AuditFinding) -> [JSONValue] {
    [
      .integer(Int64(clamping: finding.number)), .string(finding.at.rfc3339), .integer(finding.at.microseconds),
      .string(finding.kind.rawValue), JSONValue(finding.device?.text), JSONValue(finding.push?.text),
      .string(finding.sentence),
    ]
  }
}

/// A row of `pushes`.
private enum PushRow {
  static func cells(_ record: PushRecord, _ names: WorldNames) -> [JSONValue] {
    let push = record.push
    func text(_ range: Range<Int>?) -> JSONValue { JSONValue(range.map { push.text($0) }) }
    let token = push.token(to: record.address).map { String(decoding: $0, as: UTF8.self).lowercased() }
    let priority = push.requestedPriority ?? (push.priorityRange == nil ? .immediate : nil)
    let key = record.keyNumber.flatMap { names.keys.indices.contains($0) ? names.keys[$0].keyID : nil }
    let digits = String(record.payloadHash, radix: 16)
    let fate = record.firstFate
    return [
      .integer(Int64(clamping: record.sequence)), .string(record.at.world.rfc3339),
      .integer(record.at.world.microseconds), .integer(record.at.wall.microseconds),
      .integer(Int64(clamping: record.stream.connection.number)), .integer(Int64(record.stream.number)),
      .string(record.environment.rawValue), JSONValue(key), .string(record.answer.id.text),
      JSONValue(record.address?.device.text), JSONValue(record.address.map { names.bundleID($0.app) }),
      JSONValue(record.address?.slot.kind.name), JSONValue(token), text(push.topicRange), text(push.typeRange),
      priority.map { JSONValue($0.rawValue) } ?? .null, push.expiration.map { .integer($0.seconds) } ?? .null,
      text(push.collapseIDRange), JSONValue(push.payloadRange.count),
      .string(String(repeating: "0", count: 16 - digits.count) + digits), JSONValue(event(of: push)),
      JSONValue(activity(of: record, names)), JSONValue(record.answer.status),
      JSONValue(record.answer.rejection?.reason.rawValue), .string(record.firstSent.name), .string(fate.words),
      JSONValue(fate.outcome), EventRow.list(fate.causes), JSONValue(record.fault),
    ]
  }

  private static func event(of push: ParsedPush) -> String? {
    let storage = push.request.storage
    return try? JSONNode.read(storage.span, in: push.payloadRange) { $0["aps"]?["event"]?.string }
  }

  private static func activity(of record: PushRecord, _ names: WorldNames) -> String? {
    guard let address = record.address else { return nil }
    let number: UInt32
    switch (record.firstFate.reaction, address.slot) {
    case (.started(let activity, _), _), (.updated(let activity, _, _), _), (.ended(let activity, _, _, _), _):
      number = activity
    case (_, .update(let activity)): number = activity
    default: return nil
    }
    return names.activity(address.device, app: address.app, number: number)
  }
}

/// A row of `events`.
private enum EventRow {
  private static let columns = ExportTable.events.columns.map(\.name)
  /// Columns with the value of a member of the event's JSON, by the member's name.
  private static let places: [String: Int] = {
    var places: [String: Int] = [:]
    for name in ["event", "device", "app", "activity", "token", "connection", "push", "fate", "fault"] {
      places[name] = columns.firstIndex(of: name)
    }
    return places
  }()
  private static let tokenKind = columns.firstIndex(of: "token_kind") ?? 0
  private static let broadcast = columns.firstIndex(of: "broadcast") ?? 0
  private static let outcome = columns.firstIndex(of: "outcome") ?? 0
  private static let causes = columns.firstIndex(of: "causes") ?? 0

  static func cells(_ event: WorldEvent, number: Int64, at now: Instant, _ names: WorldNames) -> [JSONValue] {
    let at = time(of: event) ?? now
    var cells = [JSONValue](repeating: .null, count: columns.count)
    (cells[0], cells[1], cells[2]) = (.integer(number), .string(at.rfc3339), .integer(at.microseconds))
    var rest: [JSONValue.Member] = []
    for member in EventText.members(event, names) {
      if let place = places[member.key] {
        cells[place] = member.value
      } else if member.key == "kind", case .phone = event {
        cells[tokenKind] = member.value
      } else if member.key != "at" {
        rest.append(member)
      }
    }
    switch event {
    case .broadcastReached(let number, _, let fate, _):
      cells[broadcast] = .integer(Int64(clamping: BroadcastNumber.ofRequest(number)))
      put(fate, into: &cells)
    case .channels(let record): cells[broadcast] = .integer(Int64(clamping: record.number))
    case .pushSettled(_, _, let fate, _): put(fate, into: &cells)
    default: break
    }
    if !rest.isEmpty { cells[columns.count - 1] = .string(JSONValue.object(rest).text) }
    return cells
  }

  private static func put(_ fate: Fate, into cells: inout [JSONValue]) {
    cells[outcome] = JSONValue(fate.outcome)
    cells[causes] = list(fate.causes)
  }

  static func list(_ words: [String]) -> JSONValue { words.isEmpty ? .null : .string(words.joined(separator: ",")) }

  /// Nil for an event whose time is that of its call.
  private static func time(of event: WorldEvent) -> Instant? {
    switch event {
    case .trouble(let trouble): trouble.at
    case .channels(let record): record.at.world
    case .broadcastReached(_, _, _, let at), .pushSettled(_, _, _, let at), .answerSent(_, _, let at),
      .faultStruck(_, _, let at), .connectionStruck(_, _, let at), .phone(_, _, _, let at):
      at
    case .connectionOpened, .connectionClosed, .streamsAllowed, .wire, .listener, .push, .call, .callEnded: nil
    }
  }
}

extension Instant {
  /// Whole microseconds since 1970, rounded down: the resolution of timestamps in databases.
  fileprivate var microseconds: Int64 {
    let (quotient, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1000)
    return rest < 0 ? quotient - 1 : quotient
  }
}
