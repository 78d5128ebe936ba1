import Timeline
import WireFormats

/// The answer to a push, before it has become bytes.
///
/// Documented: 200 has no body; an error has `{"reason":"…"}`, a 410 a `timestamp` in milliseconds besides; both carry
/// `apns-id`; the development environment adds `apns-unique-id` ("Handling notification responses from APNs").
/// Assumed: the unique id comes with accepted pushes only; no capture of it on an error was found.
package struct Answer: Hashable, Sendable {
  package let id: NotificationID
  package let uniqueID: NotificationID?
  package let refusal: Refusal?

  package init(id: NotificationID, uniqueID: NotificationID?, refusal: Refusal?) {
    self.id = id
    self.uniqueID = refusal == nil ? uniqueID : nil
    self.refusal = refusal
  }

  package var status: Int { refusal?.reason.status ?? 200 }

  package var response: HTTPResponse {
    let form = refusal == nil ? (uniqueID == nil ? Self.accepted : Self.acceptedInSandbox) : Self.refused
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
    guard let refusal else { return [] }
    guard let since = refusal.since else { return Array(#"{"reason":"\#(refusal.reason.rawValue)"}"#.utf8) }
    return Array(#"{"reason":"\#(refusal.reason.rawValue)","timestamp":\#(since.milliseconds)}"#.utf8)
  }
}
