import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// A push of the ledger as JSON.
enum PushJSON {
  static func value(_ record: PushRecord, _ world: World) -> JSONValue {
    let answer = record.answer
    return [
      "sequence": .integer(Int64(clamping: record.sequence)), "receivedAt": .string(record.at.world.rfc3339),
      "environment": .string(record.environment.rawValue),
      "connection": .integer(Int64(clamping: record.stream.connection.number)),
      "stream": .integer(Int64(record.stream.number)), "request": request(record.request),
      "answer": self.answer(answer), "apnsId": .string(answer.id.text),
      "apnsUniqueId": JSONValue(answer.uniqueID?.text),
      "reason": JSONValue(answer.refusal?.reason.rawValue), "provider": provider(record, world),
      "device": JSONValue(record.address?.device.text),
      "app": JSONValue(record.address.map { world.fleet.plan.apps[$0.app].bundleID }),
      "tokenKind": JSONValue(record.address?.slot.kind.name),
      "outcome": answer.refusal == nil ? "accepted" : "refused",
      "fate": .string(fate(record)), "reaction": reaction(record), "why": Why(record, world).json,
    ]
  }

  /// What the phone made of it; null where it never had it.
  private static func reaction(_ record: PushRecord) -> JSONValue {
    guard case .delivered(let reaction) = record.fate else { return .null }
    switch reaction {
    case .received: return ["outcome": "received", "cause": nil, "detail": nil]
    case .started: return ["outcome": "started", "cause": nil, "detail": nil]
    case .updated: return ["outcome": "updated", "cause": nil, "detail": nil]
    case .ended: return ["outcome": "ended", "cause": nil, "detail": nil]
    case .dropped(let cause, let detail):
      return ["outcome": "dropped", "cause": .string(cause.rawValue), "detail": JSONValue(detail)]
    }
  }

  /// Apple's words; an accepted push was received before anything else became of it.
  private static func fate(_ record: PushRecord) -> String {
    record.fate == .refused ? record.fate.words : "Received by APNs, \(record.fate.words)"
  }

  private static func provider(_ record: PushRecord, _ world: World) -> JSONValue {
    guard let number = record.keyNumber else { return .null }
    let key = world.gatekeeper.keyRing.keys[number]
    return ["keyId": .string(key.keyID), "teamId": .string(key.teamID)]
  }

  private static func request(_ request: HTTPRequest) -> JSONValue {
    let fields = request.fields.list
    let shown = fields.filter { $0.name != ":method" && $0.name != ":path" }
    let token = fields.first { $0.name == "authorization" }.flatMap { ShownToken.parts(of: $0.value) }
    let (body, encoding) = text(of: request.body)
    return [
      "method": .string(fields.first { $0.name == ":method" }?.value ?? ""),
      "path": .string(fields.first { $0.name == ":path" }?.value ?? ""),
      "headers": headers(shown.map { ($0.name, $0.name == "authorization" ? ShownToken.cut($0.value) : $0.value) }),
      "providerToken": token ?? .null,
      "body": .string(body), "bodyEncoding": .string(encoding), "bodyBytes": JSONValue(request.bodyCount),
    ]
  }

  private static func answer(_ answer: Answer) -> JSONValue {
    let response = answer.response
    return [
      "status": JSONValue(response.status), "headers": headers(response.fields.list),
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
