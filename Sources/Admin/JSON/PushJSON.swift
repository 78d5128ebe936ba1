import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// A push of the push log as JSON.
enum PushJSON {
  static func value(_ record: PushRecord, _ names: WorldNames) -> JSONValue {
    let answer = record.answer
    return [
      "sequence": .integer(Int64(clamping: record.sequence)), "receivedAt": .string(record.at.world.rfc3339),
      "environment": .string(record.environment.rawValue),
      "connection": .integer(Int64(clamping: record.stream.connection.number)),
      "stream": .integer(Int64(record.stream.number)), "request": request(record.request),
      "answer": self.answer(record), "sent": sent(record), "apnsId": .string(answer.id.text),
      "apnsUniqueId": JSONValue(answer.uniqueID?.text),
      "reason": JSONValue(answer.rejection?.reason.rawValue), "provider": provider(record, names),
      "device": JSONValue(record.address?.device.text),
      "app": JSONValue(record.address.map { names.bundleID($0.app) }),
      "tokenKind": JSONValue(record.address?.slot.kind.name),
      "fault": JSONValue(record.fault), "outcome": JSONValue(record.fate.outcome),
      "causes": .array(record.fate.causes.map { .string($0) }),
      "fate": .string(fate(record)), "final": .bool(record.fate.isFinal), "reaction": reaction(record, names),
      "content": JSONValue(PushHeading(record).content), "onScreen": CardChange(record, names).json,
      "why": PushExplanation(record, names).json,
      "story": .array(
        PushStory(record, names.policy).lines.map { LogJSON.value($0, names: names, device: record.address?.device) }),
    ]
  }

  /// The push with what a check of its payload has found, if it is for a Live Activity or a notification.
  static func whole(_ record: PushRecord, _ names: WorldNames) -> JSONValue {
    let findings = names.lint(of: record)?.findings.map(\.json)
    return .object((value(record, names).members ?? []) + [.init("lint", findings.map { .array($0) } ?? .null)])
  }

  /// The phone's reaction; null if the phone did not receive it.
  private static func reaction(_ record: PushRecord, _ names: WorldNames) -> JSONValue {
    guard let reaction = record.fate.reaction else { return .null }
    func told(cause: String? = nil, detail: String? = nil, _ remarks: Remarks? = nil) -> JSONValue {
      let overlooked =
        remarks == nil ? [] : record.payloadRemarks(readingBooleans: names.policy.booleanFlags).map(\.rawValue)
      let names = Remarks.all.filter { remarks?.contains($0.remark) ?? false }.map(\.name) + overlooked
      return [
        "outcome": JSONValue(record.fate.outcome), "cause": JSONValue(cause), "detail": JSONValue(detail),
        "remarks": .array(names.map { .string($0) }),
      ]
    }
    switch reaction {
    case .started(_, let remarks), .updated(_, let remarks, _), .ended(_, _, let remarks, _): return told(remarks)
    case .held(let why, _): return told(cause: why.rawValue)
    case .dropped(let cause, let detail): return told(cause: cause.rawValue, detail: detail?.text)
    case .notified(let shown): return told(cause: shown.cause.rawValue, [])
    case .background(let outcome):
      switch outcome {
      case .woken, .deliveredToRunning: return told([])
      case .held(let cause, _), .discarded(let cause): return told(cause: cause.rawValue, [])
      case .notWoken: return told(cause: WakeCause.notWoken.rawValue, [])
      }
    case .call: return told()
    case .service(let service): return told(cause: service.isForBody ? service.rawValue : nil)
    }
  }

  private static func decision(_ record: PushRecord) -> String {
    guard record.answer.rejection == nil else { return "refused" }
    return record.isProcessed ? "accepted" : "unprocessed"
  }

  /// Returns what was sent to the client.
  private static func sent(_ record: PushRecord) -> JSONValue {
    let sent = record.sent
    var members: [JSONValue.Member] = [.init("as", .string(sent.name))]
    switch sent {
    case .answer(let status), .malformed(let status), .incomplete(let status):
      members.append(.init("status", JSONValue(status)))
    case .reset: members.append(.init("code", .string(sent.detail)))
    case .pending, .nothing: members.append(.init("why", .string(sent.detail)))
    }
    return .object(members + [.init("at", .string(record.sentAt.rfc3339))])
  }

  /// Apple's wording where it has any; an accepted push is received first.
  private static func fate(_ record: PushRecord) -> String {
    guard record.isProcessed else { return "Not Processed by APNs" }
    return record.deliveries.map(\.status.words).joined(separator: ", ")
  }

  private static func provider(_ record: PushRecord, _ names: WorldNames) -> JSONValue {
    guard let number = record.keyNumber else { return .null }
    let key = names.keys[number]
    return ["keyId": .string(key.keyID), "teamId": .string(key.teamID)]
  }

  private static func request(_ request: HTTPRequest) -> JSONValue {
    let fields = request.fields.list
    let shown = fields.filter { $0.name != ":method" && $0.name != ":path" }
    let token = fields.first { $0.name == "authorization" }.flatMap { RedactedToken.parts(of: $0.value) }
    let (body, encoding) = text(of: request.body)
    return [
      "method": .string(fields.first { $0.name == ":method" }?.value ?? ""),
      "path": .string(fields.first { $0.name == ":path" }?.value ?? ""),
      "headers": headers(shown.map { ($0.name, $0.name == "authorization" ? RedactedToken.cut($0.value) : $0.value) }),
      "providerToken": token ?? .null,
      "body": .string(body), "bodyEncoding": .string(encoding), "bodyBytes": JSONValue(request.bodyCount),
    ]
  }

  /// The decision of APNs.
  private static func answer(_ record: PushRecord) -> JSONValue {
    let response = record.answer.response
    return [
      "decision": .string(decision(record)), "status": JSONValue(response.status),
      "headers": headers(response.fields.list),
      "body": .string(String(decoding: response.body, as: UTF8.self)),
    ]
  }

  private static func headers(_ fields: [(name: String, value: String)]) -> JSONValue {
    .array(fields.map { ["name": .string($0.name), "value": .string($0.value)] })
  }

  private static func text(of body: ArraySlice<UInt8>) -> (String, encoding: String) {
    if let text = String(validating: body, as: UTF8.self) { return (text, "utf8") }
    return (Base64.encode(body), "base64")
  }
}
