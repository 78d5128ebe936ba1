import APNs
import Devices
import Timeline
import WireFormats

/// What of a push tells whose it is, as far as it can be known.
struct PushTraits {
  private(set) var key: Int?
  private(set) var device: DeviceID?
  /// Outer nil: not looked for yet.
  private var topicPlace: Range<Int>??

  init(_ record: PushRecord) {
    key = record.keyNumber
    device = record.address?.device
  }

  init(key: Int?, device: DeviceID?) {
    self.key = key
    self.device = device
  }

  /// Whether the gate went through all of it.
  var isWhole: Bool { key != nil && device != nil }

  /// Reads what a gate that refused the push did not come to: the key that its token says it is signed with, and the
  /// device whose token is in its path.
  mutating func complete(_ record: PushRecord, _ fleet: Fleet, _ keyRing: KeyRing) {
    let storage = record.request.storage
    let bytes = storage.span
    if key == nil, let value = Self.value(of: "authorization", in: record.request) {
      let text = bytes.text(value)
      if let space = text.firstIndex(of: " ") {
        let token = Array(text[space...].drop { $0 == " " }.utf8)
        key = ProviderToken(token.span, 0..<token.count, strict: false).flatMap { keyRing.number(of: $0.keyID) }
      }
    }
    let prefix = "/3/device/"
    if device == nil, let path = Self.value(of: ":path", in: record.request), path.count > prefix.utf8.count,
      bytes.text(path).hasPrefix(prefix)
    {
      let token = DeviceToken(bytes, path.lowerBound + prefix.utf8.count..<path.upperBound)
      device = token.flatMap { fleet.address(of: $0)?.device }
    }
  }

  /// Where its topic lies in the request's bytes.
  mutating func topic(of request: HTTPRequest) -> Range<Int>? {
    if let topicPlace { return topicPlace }
    let place = Self.value(of: "apns-topic", in: request)
    topicPlace = .some(place)
    return place
  }

  private static func value(of name: StaticString, in request: HTTPRequest) -> Range<Int>? {
    let storage = request.storage
    let bytes = storage.span
    var cursor = HTTPFieldCursor()
    while let field = cursor.next(in: bytes, end: request.bodyStart) {
      if bytes.holds(field.name, name) { return field.value }
    }
    return nil
  }
}
