import APNs
import Devices
import Reporting
import Simulation
import Timeline
import WireFormats

/// Messages of the event stream as text/event-stream (HTML standard, section 9.2).
package enum EventStream {
  /// What a client is told before the first message: to connect again after a second.
  package static let opening = Array("retry: 1000\n\n".utf8)

  /// - Parameter run: differs from one start of the server to the next.
  package static func write(_ messages: [EventViewer.Message], _ names: WorldNames, run: String) -> [UInt8] {
    var text: [UInt8] = []
    for message in messages {
      switch message {
      case .quiet: text += Array(":\n\n".utf8)
      case .open(let after): write("begin", after, ["after": number(after), "run": .string(run)], to: &text)
      case .gap(let range, let restarted):
        write(
          "gap", range.upperBound,
          ["from": number(range.lowerBound), "to": number(range.upperBound), "restarted": .bool(restarted)], to: &text)
      case .event(let sighting):
        write(sighting.event.kind.rawValue, sighting.sequence, value(sighting, names), to: &text)
      case .many(let count, let pushes, let upTo, let last):
        write(
          "many", upTo,
          ["count": number(count), "pushes": number(pushes), "last": .array(last.map { value($0, names) })], to: &text)
      }
    }
    return text
  }

  private static func write(_ event: String, _ id: UInt64, _ value: JSONValue, to text: inout [UInt8]) {
    text += Array("event: \(event)\nid: \(id)\ndata: ".utf8)
    value.write(to: &text)
    text += [0x0A, 0x0A]
  }

  private static func number(_ value: UInt64) -> JSONValue { .integer(Int64(clamping: value)) }

  private static func value(_ sighting: EventViewer.Sighting, _ names: WorldNames) -> JSONValue {
    let head: [JSONValue.Member] = [
      .init("type", .string(sighting.event.kind.rawValue)), .init("sequence", number(sighting.sequence)),
    ]
    switch sighting.event {
    case .push(let record): return .object(head + push(record, sighting.session, names))
    case .line(let line): return .object(head + members(line, names))
    }
  }

  /// A push in short: what a row of a list shows.
  private static func push(_ record: PushRecord, _ session: String?, _ names: WorldNames) -> [JSONValue.Member] {
    let payload = PayloadHeading(record)
    return [
      .init("at", .string(record.at.world.rfc3339)), .init("push", number(record.sequence)),
      .init("apnsId", .string(record.answer.id.text)), .init("environment", .string(record.environment.rawValue)),
      .init("device", JSONValue(record.address?.device.text)),
      .init("app", JSONValue(record.address.map { names.bundleID($0.app) })),
      .init("tokenKind", JSONValue(record.address?.slot.kind.name)),
      .init("pushType", JSONValue(record.push.type?.rawValue)),
      .init("priority", JSONValue(record.push.priority.rawValue)), .init("event", JSONValue(payload.event)),
      .init("heading", JSONValue(payload.text)), .init("status", JSONValue(record.answer.status)),
      .init("reason", JSONValue(record.answer.rejection?.reason.rawValue)), .init("sent", .string(record.sent.name)),
      .init("fate", .string(record.fate.words)), .init("outcome", JSONValue(record.fate.outcome)),
      .init("causes", .array(record.fate.causes.map { .string($0) })), .init("final", .bool(record.fate.isFinal)),
      .init("fault", JSONValue(record.fault)), .init("session", JSONValue(session)),
    ]
  }

  private static func members(_ line: DeviceEventLog.Line, _ names: WorldNames) -> [JSONValue.Member] {
    let place: [JSONValue.Member] = [
      .init("at", .string(line.at.rfc3339)), .init("device", JSONValue(line.device?.text)),
    ]
    switch line.entry {
    case .happened(let deviceEvent):
      let details = (line.device.map { EventJSON.members(deviceEvent, $0, line.app, names) } ?? []).filter {
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

/// What a payload is about, in a line: the alert's title and body, as far as they are literal.
private struct PayloadHeading {
  private(set) var event: String?
  private(set) var text: String?

  /// Number of characters that are shown.
  private static let most = 160

  init(_ record: PushRecord) {
    let storage = record.push.request.storage
    _ = try? JSONNode.read(storage.span, record.push.payloadRange) { root in
      guard let aps = root["aps"] else { return }
      event = aps["event"]?.string.map { String($0.prefix(Self.most)) }
      guard let alert = aps["alert"] else { return }
      let parts = alert.string.map { [$0] } ?? [Self.line(alert["title"]), Self.line(alert["body"])].compactMap(\.self)
      let whole = parts.filter { !$0.isEmpty }.joined(separator: " — ")
      text = whole.isEmpty ? nil : String(whole.prefix(Self.most))
    }
  }

  /// A Live Activity's texts may be localised by key.
  private static func line(_ node: JSONNode?) -> String? { node?.string ?? node?["loc-key"]?.string }
}
