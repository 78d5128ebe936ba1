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
    self.uniqueID = uniqueID
    self.refusal = refusal
  }

  package var status: Int { refusal?.reason.status ?? 200 }

  package var response: HTTPResponse {
    HTTPResponse(status: status, fields: fields, body: body)
  }

  private var fields: HTTPFields {
    // One array of the right size: this is made for every push.
    let count = 4 + 7 + 36 + (uniqueID == nil ? 0 : 4 + 14 + 36) + (refusal == nil ? 0 : 4 + 12 + 16)
    let packed = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      var at = 0
      func put(_ byte: UInt8) {
        buffer[at] = byte
        at += 1
      }
      func put(_ text: StaticString) {
        for index in 0..<text.utf8CodeUnitCount { put(text.utf8Start[index]) }
      }
      func field(_ name: StaticString, valueCount: Int) {
        put(UInt8(truncatingIfNeeded: name.utf8CodeUnitCount))
        put(0)
        put(UInt8(truncatingIfNeeded: valueCount))
        put(0)
        put(name)
      }
      field("apns-id", valueCount: 36)
      for index in 0..<36 { put(id.characters[index]) }
      if let uniqueID {
        field("apns-unique-id", valueCount: 36)
        for index in 0..<36 { put(uniqueID.characters[index]) }
      }
      if refusal != nil {
        field("content-type", valueCount: 16)
        put("application/json")
      }
      initialized = at
    }
    return HTTPFields(packed: packed)
  }

  private var body: [UInt8] {
    guard let refusal else { return [] }
    guard let since = refusal.since else { return Array(#"{"reason":"\#(refusal.reason.rawValue)"}"#.utf8) }
    return Array(#"{"reason":"\#(refusal.reason.rawValue)","timestamp":\#(since.milliseconds)}"#.utf8)
  }
}
