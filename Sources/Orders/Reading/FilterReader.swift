import APNs
import Devices
import Grammar
import Reporting
import Simulation
import Timeline
import WireFormats

/// Reads the filters of faults, selections, expectations and queries.
///
/// A key has the same spelling and type everywhere. The caller decides which keys are valid, and reads `event` and
/// `step`, whose values depend on the context.
package enum FilterReader {
  package static func read(_ fields: Fields, into filter: inout Filter) throws(InputProblem) {
    try readWhose(fields, into: &filter)
    try readSent(fields, into: &filter)
    try readCame(fields, into: &filter)
  }

  private static func readWhose(_ fields: Fields, into filter: inout Filter) throws(InputProblem) {
    filter.devices = try DeviceList.read(fields, most: Selection.mostChanged)
    filter.app = try fields.text("app")
    filter.os = try os(fields)
    filter.isOnline = try fields.truth("online")
    if let share = try fields.share("share") { filter.share = share }
  }

  private static func readSent(_ fields: Fields, into filter: inout Filter) throws(InputProblem) {
    filter.environment = try fields.choice("environment", Environment.choices)
    filter.connection = try fields.whole("connection").map { UInt64($0) }
    filter.type = try fields.choice("pushType", PushType.allCases.map { ($0.rawValue, $0) })
    filter.priority = try fields.choice("priority", Priority.allCases.map { ("\($0.rawValue)", $0) })
    // `kind` is that of a token, `tokenKind` that of the token to which a push was sent.
    for key in fields.those(of: ["kind", "tokenKind"]) { filter.tokenKind = try fields.choice(key, TokenChoice.kinds) }
    filter.id = try id(fields)
    filter.topic = try fields.text("topic")
    filter.token = try fields.text("token")
    for key in fields.those(of: ["payload", "body"]) {
      guard let node = fields[key], node.pairs != nil else {
        let wanted =
          key == "body" ? "the report's body, such as {matchId: m1}" : "the push's payload, such as {aps: {event: end}}"
        throw fields.problem(key, "\(key) must be a part of \(wanted).")
      }
      filter.payload = node.json
    }
  }

  private static func readCame(_ fields: Fields, into filter: inout Filter) throws(InputProblem) {
    filter.status = try fields.whole("status", 100...599)
    filter.reason = try fields.choice("reason", RejectionReason.allCases.map { ($0.rawValue, $0) })
    if let text = try fields.spelling("sent") {
      guard let sent = SentAnswerFilter(text) else {
        throw fields.problem("sent", "sent must be a status, or one of \(Wording.list(SentAnswer.names)).")
      }
      filter.sent = sent
    }
    filter.fate = try fields.word("fate", among: Fate.allWords)
    filter.cause = try fields.word("cause", among: Fate.allCauses)
    filter.outcome = try fields.word("outcome", among: Fate.allOutcomes)
    filter.fault = try fields.text("fault")
    filter.failure = try fields.choice("failure", CallOutcome.Failure.allCases.map { ($0.rawValue, $0) })
    filter.isFailed = try fields.truth("failed")
    filter.isLive = try fields.truth("live")
  }

  private static func id(_ fields: Fields) throws(InputProblem) -> NotificationID? {
    guard let text = try fields.text("apnsId") else { return nil }
    guard let id = NotificationID(text) else {
      throw fields.problem("apnsId", "apnsId must be a UUID such as 11111111-2222-3333-4444-555555555555.")
    }
    return id
  }

  /// `26`, or `26.1`.
  private static func os(_ fields: Fields) throws(InputProblem) -> OSPattern? {
    guard let node = fields["os"] else { return nil }
    // A number with a fraction is not accepted: 18.10 would be read as 18.1.
    let text = node.text ?? node.json.integer.map { "\($0)" }
    guard let pattern = text.flatMap({ OSPattern($0) }) else {
      throw fields.problem(
        "os", "os must be a version of iOS such as \"18\" or \"18.5\", not \(Wording.quoted(text ?? node.json.text)).")
    }
    return pattern
  }
}

extension Environment {
  package static let choices = allCases.map { (name: $0.rawValue, value: $0) }
}
