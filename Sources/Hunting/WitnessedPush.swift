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
  /// Nil if there is no such token.
  let address: Address?

  /// - Parameter address: that of its token, also if the push was refused before anybody looked it up.
  package init(_ record: PushRecord, address: Address? = nil) {
    self.record = record
    self.address = address ?? record.address
    aps = Self.read(record) { $0["aps"]?.whole } ?? nil
    let isOfActivity = self.address?.slot.isLiveActivity ?? (record.push.type == .liveactivity)
    let event = isOfActivity ? aps?["event"]?.string : nil
    kind =
      event.flatMap { ["start", "update", "end"].contains($0) ? $0 : nil }
      ?? record.push.type?.rawValue ?? (isOfActivity ? "liveactivity" : "alert")
  }

  private static func read<Result>(_ record: PushRecord, _ body: (JSONNode) -> Result) -> Result? {
    let storage = record.push.request.storage
    return try? JSONNode.read(storage.span, in: record.push.payloadRange, body)
  }

  // MARK: - The request

  /// The body; nil if it is no JSON.
  var payload: JSONValue? { Self.read(record) { $0.whole } }

  var install: InstallID? { address.map { InstallID(device: $0.device, app: $0.app) } }
  var at: Instant { record.at.world }
  var tokenKind: String { address?.slot.kind.name ?? "unknown" }
  var content: JSONValue? { aps?["content-state"] }
  var timestamp: JSONValue? { aps?["timestamp"] }
  /// The alert, if it has one that is not empty.
  var alert: JSONValue? { aps?["alert"].flatMap { $0 == .null || $0.members?.isEmpty ?? false ? nil : $0 } }
  var isEnd: Bool { kind == "end" }
  var isStart: Bool { kind == "start" }

  /// The token as in the request, in lower case.
  var token: String {
    (record.push.token(to: record.address).map { String(decoding: $0, as: UTF8.self) } ?? "").lowercased()
  }

  /// The activity that it is about, as far as the phone has said so.
  var activity: UInt32? {
    switch (record.fate.reaction, address?.slot) {
    case (.started(let number, _)?, _), (.updated(let number, _, _)?, _), (.ended(let number, _, _, _)?, _): number
    case (_, .update(let number)?): number
    default: nil
    }
  }

  /// The noun for it, such as `an update`.
  var noun: String {
    switch kind {
    case "update", "end", "alert": "an \(kind)"
    case "start": "a start"
    default: "a push of type \(kind)"
    }
  }

  /// The collapse id; nil without one.
  var collapseID: [UInt8]? { record.push.collapseIDRange.map { Array(record.push.request.storage[$0]) } }

  // MARK: - The answer

  var status: Int { record.answer.status }
  var reason: RejectionReason? { record.answer.rejection?.reason }

  /// The answer that was decided, and what was sent if that differs, such as `429 TooManyRequests` or
  /// `200, reset (CANCEL)`.
  var answerWords: String {
    let decided = "\(status)" + (reason.map { " \($0.rawValue)" } ?? "")
    return record.sent == .answer(status: status) ? decided : "\(decided), \(record.sent.words)"
  }

  /// True if the answer that was decided was sent as it is.
  var isAnswered: Bool { record.sent == .answer(status: status) }

  /// True if APNs took it and the backend may know that: 200 was sent, or something from which it can be read.
  var mayBeTaken: Bool {
    guard status == 200 else { return false }
    return switch record.sent {
    case .answer, .malformed, .incomplete, .pending: true
    case .reset, .nothing: false
    }
  }

  /// The time from its arrival to its answer, or until it was clear that there is none.
  var wait: Duration { at.duration(to: record.sentAt) }

  /// True if a backend may leave it at that: the refusal says that the push itself is wrong.
  var isRefusedForGood: Bool {
    guard isAnswered else { return false }
    switch status {
    case 400, 404, 405, 413: return true
    case 403: return reason != .expiredProviderToken
    default: return false
    }
  }

  /// The clause about a push that a backend has to care for, such as `whose answer was lost`; nil if it was taken, or
  /// refused for good.
  var trouble: String? {
    if mayBeTaken && isAnswered || isRefusedForGood { return nil }
    if !record.isProcessed { return "that APNs did not look at" }
    switch record.sent {
    case .malformed: return "whose answer is no answer of APNs"
    case .reset, .nothing, .incomplete, .pending: return "whose answer was lost"
    case .answer: break
    }
    switch status {
    case 410: return "that was answered 410"
    case 403: return "that was answered 403 \(reason?.rawValue ?? "")"
    default: return "that was answered \(status)"
    }
  }

  /// Words for an example, such as `push 41 at 2m5s, an update, 200, reset (CANCEL)`.
  func words(since began: Instant) -> String {
    "push \(record.sequence) at \(DurationText.write(began.duration(to: at))), \(noun), \(answerWords)"
  }
}
