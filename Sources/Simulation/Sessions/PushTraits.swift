import APNs
import Devices
import Timeline
import WireFormats

/// What of a push tells whose it is, as far as it can be known.
struct PushTraits: Hashable, Sendable {
  private(set) var key: Int?
  private(set) var device: DeviceID?

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
  mutating func complete(_ push: ExaminedPush, _ fleet: Fleet, _ keyRing: KeyRing) {
    if key == nil, let value = push.authorizationRange {
      let text = push.text(value)
      if let space = text.firstIndex(of: " ") {
        let token = Array(text[space...].drop { $0 == " " }.utf8)
        key = ProviderToken(token.span, 0..<token.count, strict: false).flatMap { keyRing.number(of: $0.keyID) }
      }
    }
    if device == nil, let range = push.tokenRange {
      let storage = push.request.storage
      device = DeviceToken(storage.span, range).flatMap { fleet.address(of: $0)?.device }
    }
  }
}
