import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// A push, with what oracles ask about it read once.
package struct WitnessedPush: Sendable {
  package let record: PushRecord
  /// The event of a Live Activity, or else the push type, such as `update` or `alert`.
  package let kind: String
  /// `aps` of its payload.
  let aps: JSONValue?

  package init(_ record: PushRecord) {
    self.record = record
    let storage = record.push.request.storage
    let read = try? JSONNode.read(storage.span, in: record.push.payloadRange) { $0["aps"]?.whole }
    aps = read ?? nil
    let event = record.address?.slot.isLiveActivity ?? true ? aps?["event"]?.string : nil
    kind =
      event.flatMap { ["start", "update", "end"].contains($0) ? $0 : nil }
      ?? (record.push.type?.rawValue ?? (record.address?.slot.isLiveActivity == true ? "activity" : "alert"))
  }

  var address: Address? { record.address }
  var at: Instant { record.at.world }
  var status: Int { record.answer.status }
  var tokenKind: String { record.address?.slot.kind.name ?? "unknown" }
  var content: JSONValue? { aps?["content-state"] }
  /// True if an `end`.
  var isEnd: Bool { kind == "end" }

  /// The token as in the request.
  var token: String { record.push.token(to: record.address).map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// The answer that was decided, and what was sent if that differs, such as `429 TooManyRequests` or
  /// `200, reset (CANCEL)`.
  var answerWords: String {
    let decided = "\(status)" + (record.answer.rejection.map { " \($0.reason.rawValue)" } ?? "")
    return record.sent == .answer(status: status) ? decided : "\(decided), \(record.sent.words)"
  }
}
