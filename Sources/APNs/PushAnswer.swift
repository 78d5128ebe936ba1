import Timeline
import WireFormats

/// The answer to a push, before it has become bytes.
///
/// Documented: 200 has no body; an error has `{"reason":"…"}`, a 410 a `timestamp` in milliseconds besides; both carry
/// `apns-id`; the development environment adds `apns-unique-id` ("Handling notification responses from APNs").
/// Assumed: the unique id comes with accepted pushes only; no capture of it on an error was found.
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

  // The fields of an answer with room for its ids: all answers share them.
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

/// What APNs answers to a push it does not take, and by which rule.
package struct Rejection: Error, Hashable, Sendable {
  package let reason: RejectionReason
  /// The rule that was broken; nil when the refusal was ordered by a test.
  package let rule: Rule?
  /// When the token died. Documented: only a 410 carries it, in milliseconds.
  package let since: Instant?

  package init(_ reason: RejectionReason, by rule: Rule?, since: Instant? = nil) {
    self.reason = reason
    self.rule = rule
    self.since = since
  }
}
