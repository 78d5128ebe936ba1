import APNs
import Devices
import Grammar
import Reporting
import Simulation
import Timeline
import WireFormats

/// Messages of the event stream as text/event-stream (HTML standard, section 9.2).
package enum EventStream {
  /// The text before the first message, which tells the client to connect again after a second.
  package static let opening = Array("retry: 1000\n\n".utf8)

  /// - Parameter run: differs from one start of the server to the next.
  package static func write(_ messages: [EventViewer.Message], _ names: WorldNames, run: String) -> [UInt8] {
    var text: [UInt8] = []
    for message in messages {
      switch message {
      case .quiet: text += Array(":\n\n".utf8)
      case .open(let after):
        head("begin", after, to: &text)
        (["after": number(after), "run": .string(run)] as JSONValue).write(to: &text)
      case .gap(let range, let restarted):
        head("gap", range.upperBound, to: &text)
        let value: JSONValue = [
          "from": number(range.lowerBound), "to": number(range.upperBound), "restarted": .bool(restarted),
        ]
        value.write(to: &text)
      case .event(let sighting):
        head(sighting.event.kind.rawValue, sighting.sequence, to: &text)
        write(sighting, names, readsContent: true, to: &text)
      case .many(let count, let pushes, let upTo, let last):
        text.reserveCapacity(text.count + 700 * last.count)
        head("many", upTo, to: &text)
        text += Array("{\"count\":\(count),\"pushes\":\(pushes),\"last\":[".utf8)
        for (index, sighting) in last.enumerated() {
          if index > 0 { text.append(UInt8(ascii: ",")) }
          // Nobody reads that much at such a rate.
          write(sighting, names, readsContent: false, to: &text)
        }
        text += Array("]}".utf8)
      }
      if case .quiet = message { continue }
      text += [0x0A, 0x0A]
    }
    return text
  }

  private static func head(_ event: String, _ id: UInt64, to text: inout [UInt8]) {
    text += Array("event: \(event)\nid: \(id)\ndata: ".utf8)
  }

  private static func number(_ value: UInt64) -> JSONValue { .integer(Int64(clamping: value)) }

  private static func write(
    _ sighting: EventViewer.Sighting, _ names: WorldNames, readsContent: Bool, to text: inout [UInt8]
  ) {
    switch sighting.event {
    case .push(let record): write(record, sighting: sighting, names: names, readsContent: readsContent, to: &text)
    case .line(let line):
      let head: [JSONValue.Member] = [
        .init("type", .string(sighting.event.kind.rawValue)), .init("sequence", number(sighting.sequence)),
      ]
      JSONValue.object(head + members(line, names)).write(to: &text)
    }
  }

  /// A push in short: what a row of a list shows.
  private static func write(
    _ record: PushRecord, sighting: EventViewer.Sighting, names: WorldNames, readsContent: Bool,
    to text: inout [UInt8]
  ) {
    let payload = PushHeading(record, readsContent: readsContent)
    let (answer, fate, address) = (record.answer, record.fate, record.address)
    var row = JSONObjectWriter()
    // Only one of the two may hold the bytes; otherwise each row would copy everything before it.
    swap(&row.bytes, &text)
    row.begin()
    row.add("type", "push")
    row.add("sequence", Int64(clamping: sighting.sequence))
    row.add("at", record.at.world.rfc3339)
    row.add("push", Int64(clamping: record.sequence))
    row.add("apnsId", answer.id.text)
    row.add("environment", record.environment.rawValue)
    row.add("device", address?.device.text)
    row.add("app", address.map { names.bundleID($0.app) })
    row.add("tokenKind", address?.slot.kind.name)
    row.add("pushType", record.push.type?.rawValue)
    row.add("priority", Int64(record.push.priority.rawValue))
    row.add("event", payload.event)
    row.add("heading", payload.alert)
    row.add("content", payload.content)
    row.add("status", Int64(answer.status))
    row.add("reason", answer.rejection?.reason.rawValue)
    row.add("sentence", answer.rejection.map { _ in PushExplanation(record, names).text })
    row.add("sent", record.sent.name)
    row.add("fate", fate.words)
    row.add("outcome", fate.outcome)
    row.add("causes", .array(fate.causes.map { .string($0) }))
    row.add("final", fate.isFinal)
    row.add("fault", record.fault)
    row.add("session", sighting.session)
    row.end()
    swap(&row.bytes, &text)
  }

  private static func members(_ line: DeviceEventLog.Line, _ names: WorldNames) -> [JSONValue.Member] {
    let place: [JSONValue.Member] = [
      .init("at", .string(line.at.rfc3339)), .init("device", JSONValue(line.device?.text)),
    ]
    switch line.entry {
    case .happened(let deviceEvent):
      let details =
        (line.device.map { EventJSON.members(of: deviceEvent, device: $0, app: line.app, names: names) } ?? []).filter {
          $0.key != "sentence" && $0.key != "event"
        }
      return place + [
        .init("event", .string(deviceEvent.name)), .init("process", .string(deviceEvent.process.rawValue)),
        .init("sentence", .string(deviceEvent.sentence)),
      ] + details
    case .settled(let push, let fate): return place + [.init("push", number(push))] + members(fate)
    case .answered(let push, let sent):
      return place + [
        .init("push", number(push)), .init("sent", .string(sent.name)), .init("answer", .string(sent.words)),
      ]
    case .broadcast(let broadcast, let fate): return place + [.init("broadcast", number(broadcast))] + members(fate)
    case .called(let end):
      return place + [
        .init("app", .string(names.bundleID(end.app))), .init("call", number(end.number)),
        .init("event", .string(end.event)), .init("method", .string(end.method)),
        .init("url", JSONValue(end.url.map { String($0.prefix(mostURL)) })),
        .init("status", end.outcome.status.map { JSONValue($0) } ?? .null),
        .init("failure", JSONValue(failure(end.outcome))),
        .init("sentence", .string(end.sentence)),
      ]
    }
  }

  private static func failure(_ outcome: CallOutcome) -> String? {
    if case .failed(let failure, _) = outcome { failure.rawValue } else { nil }
  }

  private static func members(_ fate: Fate) -> [JSONValue.Member] {
    [
      .init("fate", .string(fate.words)), .init("outcome", JSONValue(fate.outcome)),
      .init("causes", .array(fate.causes.map { .string($0) })), .init("final", .bool(fate.isFinal)),
    ]
  }

  /// Number of characters of a URL that are shown.
  private static let mostURL = 300
}
