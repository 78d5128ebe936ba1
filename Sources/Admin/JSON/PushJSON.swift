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
    .object("request", request) { Request($0.record.request) },
    .object(
      "answer", answer,
      meaning: """
        What APNs decided. Because of a fault, a reset or a closed connection the client may not receive it; see `sent`.
        """
    ) { $0.record },
    .object("sent", sent) { ($0.record.sent, $0.record.sentAt) },
    .init("apnsId", .apnsID) { .string($0.record.answer.id.text) },
    .init("apnsUniqueId", .string.orNull, meaning: "Sandbox only.") { JSONValue($0.record.answer.uniqueID?.text) },
    .init("reason", .reason.orNull, meaning: "Apple's reason; null for an accepted push.") {
      JSONValue($0.record.answer.rejection?.reason.rawValue)
    },
    .orNull("provider", provider, meaning: "The owner of the provider token; null if it was not accepted.") { row in
      row.record.keyNumber.map { row.names.keys[$0] }
    },
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
    .orNull("reaction", reaction, meaning: "The phone's reaction; null if the phone has not received it.") {
      Reaction($0.record, $0.names)
    },
    .init(
      "content", .string.orNull,
      meaning: """
        The keys of the content state that a Live Activity push has changed on the card, such as `home 0→1`. All
        keys, such as `home 1`, if there is no card to compare them with. Null for any other push.
        """
    ) { JSONValue(PushHeading($0.record).content) },
    .orNull(
      "onScreen", CardChange.shape, meaning: "The card of its activity before and after it; null if it changed none."
    ) { CardChange($0.record, $0.names) },
    .object("why", PushExplanation.shape) { PushExplanation($0.record, $0.names) },
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

  private static let reaction = Shape<Reaction>(members: [
    .init("outcome", .outcome) { JSONValue($0.outcome) },
    .init("cause", .string.orNull, meaning: "Why, such as stale-timestamp.") { JSONValue($0.cause) },
    .init("detail", .string.orNull, meaning: "Details such as the failing key path.") { JSONValue($0.detail) },
    .init(
      "remarks", .list(of: .string),
      meaning: "Notes for the sender, such as render-delayed or badge-value; the story has a sentence for each."
    ) { .array($0.remarks.map { .string($0) }) },
  ])

  private static func decision(_ record: PushRecord) -> String {
    guard record.answer.rejection == nil else { return "refused" }
    return record.isProcessed ? "accepted" : "unprocessed"
  }

  private static let sent = Shape<(answer: SentAnswer, at: Instant)>(
    "Sent",
    meaning: """
      What was sent to the client, as far as the server knows: an `answer` with a status, `malformed` with a body
      that APNs never sends, `incomplete` if the stream is not ended, a `reset` of the stream, `nothing`, or
      `pending` if it is not sent yet. Data in a socket's buffers counts as sent.
      """,
    members: [
      .init("as", .words(SentAnswer.names)) { .string($0.answer.name) },
      .maybe("status", .integer, meaning: "For answer, malformed or incomplete.") {
        $0.answer.status.map { JSONValue($0) }
      },
      .maybe("code", .string, meaning: "For reset.") {
        if case .reset = $0.answer { .string($0.answer.detail) } else { nil }
      },
      .maybe(
        "why", .words(SentAnswer.Wait.allCases.map(\.rawValue) + SentAnswer.Cause.allCases.map(\.rawValue)),
        meaning: "What a pending answer waits for, or why nothing was sent."
      ) {
        switch $0.answer {
        case .pending, .nothing: .string($0.answer.detail)
        default: nil
        }
      },
      .init("at", .time) { .string($0.at.rfc3339) },
    ])

  /// Apple's wording where it has any; an accepted push is received first.
  private static func fate(_ record: PushRecord) -> String {
    guard record.isProcessed else { return "Not Processed by APNs" }
    return record.deliveries.map(\.status.words).joined(separator: ", ")
  }

  private static let provider = Shape<ProviderKey>(members: [
    .init("keyId", .string) { .string($0.keyID) }, .init("teamId", .string) { .string($0.teamID) },
  ])

  private static let header = Shape<(name: String, value: String)>(
    "Header",
    members: [.init("name", .string) { .string($0.name) }, .init("value", .string) { .string($0.value) }])

  private static let request = Shape<Request>(members: [
    .init("method", .string) { .string($0.field(":method") ?? "") },
    .init("path", .string) { .string($0.field(":path") ?? "") },
    .list(
      "headers", of: header,
      meaning: "In the order sent. A provider token's signature is removed, so that a copy is not a credential."
    ) { $0.headers },
    .orNull(
      "providerToken", RedactedToken.shape,
      meaning: "The provider token's header and claims; null if it is missing or unreadable."
    ) { $0.field("authorization").flatMap { RedactedToken($0) } },
    .init("body", .string, meaning: "As text, or in base64 if it is not UTF-8.") {
      .string($0.text ?? Base64.encode($0.body))
    },
    .init("bodyEncoding", .words(["utf8", "base64"])) { .string($0.text == nil ? "base64" : "utf8") },
    .init("bodyBytes", .whole) { JSONValue($0.bodyCount) },
  ])

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
    .list("headers", of: header) { $0.answer.response.fields.list.map { ($0.name, $0.value) } },
    .init("body", .string, meaning: "Empty for 200; otherwise JSON with Apple's reason.") {
      .string(String(decoding: $0.answer.response.body, as: UTF8.self))
    },
  ])

  /// A request as the push log shows it.
  private struct Request {
    private let fields: [(name: String, value: String)]
    let body: ArraySlice<UInt8>
    let bodyCount: Int
    /// The body as text; nil if it is not UTF-8.
    let text: String?

    init(_ request: HTTPRequest) {
      fields = request.fields.list
      body = request.body
      bodyCount = request.bodyCount
      text = String(validating: request.body, as: UTF8.self)
    }

    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    var headers: [(name: String, value: String)] {
      fields.filter { $0.name != ":method" && $0.name != ":path" }.map {
        ($0.name, $0.name == "authorization" ? RedactedToken.cut($0.value) : $0.value)
      }
    }
  }

  /// The reaction of a phone to a push.
  private struct Reaction {
    let outcome: String?
    private(set) var cause: String?
    private(set) var detail: String?
    private(set) var remarks: [String] = []

    /// - Returns: nil if the phone did not receive the push.
    init?(_ record: PushRecord, _ names: WorldNames) {
      guard let reaction = record.fate.reaction else { return nil }
      outcome = record.fate.outcome
      var noted: Remarks?
      switch reaction {
      case .started(_, let remarks), .updated(_, let remarks, _), .ended(_, _, let remarks, _): noted = remarks
      case .held(let why, _): cause = why.rawValue
      case .dropped(let why, let more): (cause, detail) = (why.rawValue, more?.text)
      case .notified(let shown): (cause, noted) = (shown.cause.rawValue, [])
      case .background(let outcome):
        switch outcome {
        case .woken, .deliveredToRunning: noted = []
        case .held(let why, _), .discarded(let why): (cause, noted) = (why.rawValue, [])
        case .notWoken: (cause, noted) = (WakeCause.notWoken.rawValue, [])
        }
      case .call: break
      case .service(let service): cause = service.isForBody ? service.rawValue : nil
      }
      guard let noted else { return }
      let overlooked = record.payloadRemarks(readingBooleans: names.policy.booleanFlags).map(\.rawValue)
      remarks = Remarks.all.filter { noted.contains($0.remark) }.map(\.name) + overlooked
    }
  }
}
