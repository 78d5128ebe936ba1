/// The tables of `pushpit export`, and what their columns mean.
package enum ExportTable: String, CaseIterable, Sendable {
  case pushes
  case events
  case calls
  case findings

  package struct Column: Sendable {
    package let name: String
    /// INTEGER or TEXT.
    package let type: String
    package let meaning: String

    fileprivate static func number(_ name: String, _ meaning: String) -> Column {
      Column(name: name, type: "INTEGER", meaning: meaning)
    }

    fileprivate static func text(_ name: String, _ meaning: String) -> Column {
      Column(name: name, type: "TEXT", meaning: meaning)
    }
  }

  package var columns: [Column] {
    switch self {
    case .pushes: Self.pushColumns
    case .events: Self.eventColumns
    case .calls: Self.callColumns
    case .findings: Self.findingColumns
    }
  }

  private static let pushColumns: [Column] = [
    .number("push", "number of the push, from 1"),
    .text("at_utc", "when it arrived, in the world's time, RFC 3339"),
    .number("at_us", "the same in microseconds since 1970"),
    .number("wall_us", "the same by the machine's clock"),
    .number("connection", "number of the connection, from 1"),
    .number("stream", "its HTTP/2 stream"),
    .text("environment", "sandbox or production"),
    .text("key_id", "the provider's key, once its token was accepted"),
    .text("apns_id", "the apns-id of the answer"),
    .text("device", "the device that the token belongs to"),
    .text("app", "bundle id of the app that the token belongs to"),
    .text("token_kind", "device, pushToStart, update, voip and others"),
    .text("token", "the device token, in lower case"),
    .text("topic", "apns-topic as written"),
    .text("push_type", "apns-push-type as written"),
    .number("priority", "apns-priority; 10 if the header is missing"),
    .number("expiration", "apns-expiration in seconds since 1970"),
    .text("collapse_id", "apns-collapse-id as written"),
    .number("payload_bytes", "length of the payload"),
    .text("payload_hash", "equal for equal payloads"),
    .text("aps_event", "event of the payload: start, update or end"),
    .text("activity", "the Live Activity that it is about"),
    .number("status", "status that was decided"),
    .text("reason", "reason of a status other than 200"),
    .text("sent", "what was sent at first: answer, reset, pending, nothing and others"),
    .text("fate", "what became of it when it was answered"),
    .text("outcome", "what the phone did"),
    .text("causes", "why, separated by commas"),
    .text("fault", "the fault that struck it"),
  ]

  private static let eventColumns: [Column] = [
    .number("number", "number of the event in this table, from 1"),
    .text("at_utc", "when it happened, in the world's time, RFC 3339"),
    .number("at_us", "the same in microseconds since 1970"),
    .text("event", "name of the event"),
    .text("device", "the device"),
    .text("app", "bundle id of the app"),
    .text("activity", "the Live Activity"),
    .text("token_kind", "kind of the token that it is about"),
    .text("token", "the token that it is about"),
    .number("connection", "number of the connection"),
    .number("push", "number of the push"),
    .number("broadcast", "number of the broadcast, or of another request about a channel"),
    .text("fate", "for pushSettled and broadcastReached: the new fate"),
    .text("outcome", "for these: what the phone did"),
    .text("causes", "for these: why, separated by commas"),
    .text("fault", "the fault that struck"),
    .text("details", "everything else, as JSON"),
  ]

  private static let callColumns: [Column] = [
    .number("call", "number of the call, from 1"),
    .text("at_utc", "when it began, in the world's time, RFC 3339"),
    .number("at_us", "the same in microseconds since 1970"),
    .number("ended_us", "when it ended; empty if it had not"),
    .text("device", "the device"),
    .text("app", "bundle id of the app"),
    .text("event", "the event that the app reported"),
    .text("method", "method of the request"),
    .text("url", "address of the request; empty if a value for it was missing"),
    .text("body", "the first 4,096 characters of the request's body"),
    .number("status", "status of the answer"),
    .text("failure", "why there was no answer"),
    .text("sentence", "how it ended, in words"),
  ]

  private static let findingColumns: [Column] = [
    .number("finding", "number of the finding, from 1"),
    .text("at_utc", "when it was found, in the world's time, RFC 3339"),
    .number("at_us", "the same in microseconds since 1970"),
    .text("kind", "name of the mistake"),
    .text("device", "the device"),
    .text("apns_id", "the push"),
    .text("sentence", "what happened, in words"),
  ]
}

extension ExportTable {
  /// SQL that makes the tables and a view anew.
  static var schema: String {
    let tables = allCases.map { table in
      let columns = table.columns
      let lines = columns.indices.map { index in
        let column = columns[index]
        return "  \(column.name) \(column.type)\(index == columns.count - 1 ? "" : ",")  -- \(column.meaning)\n"
      }
      return "DROP TABLE IF EXISTS \(table.rawValue);\nCREATE TABLE \(table.rawValue) (\n\(lines.joined()));\n"
    }
    return tables.joined() + finalPushes
  }

  /// The last fate of a push is in its last `pushSettled` event, if it has one.
  private static let finalPushes = """
    DROP VIEW IF EXISTS final_pushes;
    CREATE VIEW final_pushes AS  -- pushes with their last fate, and when it was reached
    SELECT p.*, COALESCE(s.fate, p.fate) AS last_fate, COALESCE(s.at_us, p.at_us) AS last_at_us
    FROM pushes p LEFT JOIN (
      SELECT push, fate, at_us, ROW_NUMBER() OVER (PARTITION BY push ORDER BY number DESC) AS latest
      FROM events WHERE event = 'pushSettled'
    ) s ON s.push = p.push AND s.latest = 1;

    """
}
