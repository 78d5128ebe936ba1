import APNs
import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// A push of the push log as JSON.
enum PushJSON {
  private typealias Row = (record: PushRecord, names: WorldNames)

  static var schema: Schema { whole.schema }

  private static let members: [Shape<Row>.Member] = [
    .init("sequence", .positive, meaning: "Its number among all pushes since the start.") {
      .integer(Int64(clamping: $0.record.sequence))
    },
    .init("receivedAt", .time) { .string($0.record.at.world.rfc3339) },
    .init("environment", .environment) { .string($0.record.environment.rawValue) },
    .init("connection", .integer, meaning: "Number of the provider's connection.") {
      .integer(Int64(clamping: $0.record.stream.connection.number))
    },
    .init("stream", .integer, meaning: "Number of the HTTP/2 stream.") { .integer(Int64($0.record.stream.number)) },
    .init("request", requestSchema) { request($0.record.request) },
    .init(
      "answer", answer.schema,
      meaning: """
        What APNs decided. Because of a fault, a reset or a closed connection the client may not receive it; see `sent`.
        """
    ) { answer.json($0.record) },
    .init("sent", sentSchema) { sent($0.record) }, .init("apnsId", .apnsID) { .string($0.record.answer.id.text) },
    .init("apnsUniqueId", .string.orNull, meaning: "Sandbox only.") { JSONValue($0.record.answer.uniqueID?.text) },
    .init("reason", .reason.orNull, meaning: "Apple's reason; null for an accepted push.") {
      JSONValue($0.record.answer.rejection?.reason.rawValue)
    },
    .init(
      "provider", .object([.init("keyId", .string), .init("teamId", .string)]).orNull,
      meaning: "The owner of the provider token; null if it was not accepted."
    ) { provider($0.record, $0.names) },
    .init(
      "device", .string.orNull, meaning: "The device of the token; null if the token is unknown or was not checked."
    ) { JSONValue($0.record.address?.device.text) },
    .init("app", .string.orNull, meaning: "Bundle id.") { row in
      JSONValue(row.record.address.map { row.names.bundleID($0.app) })
    },
    .init("tokenKind", .tokenKind.orNull) { JSONValue($0.record.address?.slot.kind.name) },
    .init("fault", .string.orNull, meaning: "Name of the fault that struck it.") { JSONValue($0.record.fault) },
    .init("outcome", .outcome.orNull, meaning: "What the phone did; null if it has not received the push.") {
      JSONValue($0.record.fate.outcome)
    },
    .init(
      "causes", .list(of: .string),
      meaning: "Why it was discarded, stored or dropped, and the remarks on it. The filter `cause` matches any of them."
    ) { .array($0.record.fate.causes.map { .string($0) }) },
    .init(
      "fate", .string.example("Received by APNs, Delivered to Device"),
      meaning: "Its fates, in the wording of Apple's push console where it has any (docs/behavior/delivery.md)."
    ) { .string(fate($0.record)) },
    .init("final", .truth, meaning: "Whether its fate is final.") { .bool($0.record.fate.isFinal) },
    .init("reaction", reactionSchema.orNull, meaning: "The phone's reaction; null if the phone has not received it.") {
      reaction($0.record, $0.names)
    },
    .init(
      "content", .string.orNull,
      meaning: """
        The keys of the content state that a Live Activity push has changed on the card, such as `home 0→1`. All
        keys, such as `home 1`, if there is no card to compare them with. Null for any other push.
        """
    ) { JSONValue(PushHeading($0.record).content) },
    .init(
      "onScreen", CardChange.schema.orNull,
      meaning: "The card of its activity before and after it; null if it changed none."
    ) {
      CardChange($0.record, $0.names).json
    }, .init("why", PushExplanation.shape.schema) { PushExplanation.shape.json(PushExplanation($0.record, $0.names)) },
    .init("story", .list(of: LogJSON.schema), meaning: "Its story, step by step; empty for a rejected push.") { row in
      .array(
        PushStory(row.record, row.names.policy).lines.map {
          LogJSON.value($0, names: row.names, device: row.record.address?.device)
        })
    },
  ]

  private static let listed = Shape<Row>(members: members)
  private static let whole = Shape<Row>(
    "Push", meaning: "A push with its request and answer.",
    members: members + [
      .maybe(
        "lint", .list(of: PayloadLint.Finding.shape.schema).orNull,
        meaning: """
          What a check of the payload of a Live Activity or a notification has found, as `pushpit lint` does; null for
          another push. Only for a single push.
          """
      ) { row in
        let findings = row.names.lint(of: row.record)?.findings.map { PayloadLint.Finding.shape.json($0) }
        return findings.map { .array($0) } ?? .null
      }
    ])

  static func value(_ record: PushRecord, _ names: WorldNames) -> JSONValue { listed.json((record, names)) }

  /// The push with what a check of its payload has found, if it is for a Live Activity or a notification.
  static func whole(_ record: PushRecord, _ names: WorldNames) -> JSONValue { whole.json((record, names)) }

  private static let reactionSchema = Schema.object([
    .init("outcome", .outcome), .init("cause", .string.orNull, meaning: "Why, such as stale-timestamp."),
    .init("detail", .string.orNull, meaning: "Details such as the failing key path."),
    .init(
      "remarks", .list(of: .string),
      meaning: "Notes for the sender, such as render-delayed or badge-value; the story has a sentence for each."),
  ])

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

  private static let sentSchema = Schema.object([
    .init("as", .words(SentAnswer.names)), .maybe("status", .integer, meaning: "For answer, malformed or incomplete."),
    .maybe("code", .string, meaning: "For reset."),
    .maybe(
      "why", .words(SentAnswer.Wait.allCases.map(\.rawValue) + SentAnswer.Cause.allCases.map(\.rawValue)),
      meaning: "What a pending answer waits for, or why nothing was sent."), .init("at", .time),
  ]).named(
    "Sent",
    """
    What was sent to the client, as far as the server knows: an `answer` with a status, `malformed` with a body
    that APNs never sends, `incomplete` if the stream is not ended, a `reset` of the stream, `nothing`, or
    `pending` if it is not sent yet. Data in a socket's buffers counts as sent.
    """)

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

  private static let header = Schema.object([.init("name", .string), .init("value", .string)]).named("Header")
  private static let requestSchema = Schema.object([
    .init("method", .string), .init("path", .string),
    .init(
      "headers", .list(of: header),
      meaning: "In the order sent. A provider token's signature is removed, so that a copy is not a credential."),
    .init(
      "providerToken",
      .object([
        .init("header", .object, meaning: "`alg`, `kid` and all other members that were sent."),
        .init("claims", .object, meaning: "`iss`, `iat` and all other members that were sent."),
      ]).orNull, meaning: "The provider token's header and claims; null if it is missing or unreadable."),
    .init("body", .string, meaning: "As text, or in base64 if it is not UTF-8."),
    .init("bodyEncoding", .words(["utf8", "base64"])), .init("bodyBytes", .whole),
  ])

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
  private static let answer = Shape<PushRecord>(members: [
    .init(
      "decision", .words(["accepted", "refused", "unprocessed"]),
      meaning: """
        `unprocessed` pushes were not looked at: a fault refused their stream, or it was above the last stream of a
        GOAWAY; the client may send them again (RFC 9113 section 8.7).
        """
    ) { .string(decision($0)) },
    .init("status", .integer) { JSONValue($0.answer.response.status) },
    .init("headers", .list(of: header)) { headers($0.answer.response.fields.list) },
    .init("body", .string, meaning: "Empty for 200; otherwise JSON with Apple's reason.") {
      .string(String(decoding: $0.answer.response.body, as: UTF8.self))
    },
  ])

  private static func headers(_ fields: [(name: String, value: String)]) -> JSONValue {
    .array(fields.map { ["name": .string($0.name), "value": .string($0.value)] })
  }

  private static func text(of body: ArraySlice<UInt8>) -> (String, encoding: String) {
    if let text = String(validating: body, as: UTF8.self) { return (text, "utf8") }
    return (Base64.encode(body), "base64")
  }
}
