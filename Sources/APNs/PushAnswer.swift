import Timeline
import WireFormats

/// The answer to a push, before it is serialized.
///
/// Documented: 200 has no body; an error has `{"reason":"…"}`, a 410 also a `timestamp` in milliseconds; all carry
/// `apns-id`; the development environment adds `apns-unique-id` ("Handling notification responses from APNs"). Assumed:
/// the unique id comes with accepted pushes only; no capture of it on an error was found.
package struct PushAnswer: Hashable, Sendable {
  package let id: NotificationID
  package let uniqueID: NotificationID?
  package let rejection: Rejection?

  package init(id: NotificationID, uniqueID: NotificationID?, rejection: Rejection?) {
    self.id = id
    self.uniqueID = rejection == nil ? uniqueID : nil
    self.rejection = rejection
  }

  package var status: Int { rejection?.reason.status ?? 200 }

  package var response: HTTPResponse {
    let form = rejection == nil ? (uniqueID == nil ? Self.accepted : Self.acceptedInSandbox) : Self.refused
    return HTTPResponse(
      status: status, fields: form,
      stamps: .init((id.characters, Self.idOffset), uniqueID.map { ($0.characters, Self.uniqueIDOffset) }), body: body)
  }

  // The fields of an answer with placeholders for its ids, shared by all answers.
  private static let room = String(repeating: "-", count: 36)
  private static let accepted = HTTPFields([("apns-id", room)])
  private static let acceptedInSandbox = HTTPFields([("apns-id", room), ("apns-unique-id", room)])
  private static let refused = HTTPFields([("apns-id", room), ("content-type", "application/json")])
  private static let idOffset = HTTPFields.prefix + "apns-id".utf8.count
  private static let uniqueIDOffset = idOffset + 36 + HTTPFields.prefix + "apns-unique-id".utf8.count

  private var body: [UInt8] {
    guard let rejection else { return [] }
    guard let since = rejection.since else { return Array(#"{"reason":"\#(rejection.reason.rawValue)"}"#.utf8) }
    return Array(#"{"reason":"\#(rejection.reason.rawValue)","timestamp":\#(since.milliseconds)}"#.utf8)
  }
}

/// How APNs rejects a push, and the violated rule.
package struct Rejection: Error, Hashable, Sendable {
  package let reason: RejectionReason
  /// The broken rule; nil if a test's fault ordered the rejection.
  package let rule: Rule?
  /// When the token became invalid. Documented: only a 410 has it, in milliseconds.
  package let since: Instant?

  package init(_ reason: RejectionReason, by rule: Rule?, since: Instant? = nil) {
    self.reason = reason
    self.rule = rule
    self.since = since
  }
}
