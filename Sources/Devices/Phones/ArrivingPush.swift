import APNs
import Timeline
import WireFormats

/// A push that reaches the phone, with the information that APNs passes along.
package struct ArrivingPush: Hashable, Sendable {
  /// Number among the pushes of the world.
  package let number: UInt64
  package let request: HTTPRequest
  package let priority: Priority
  package let type: PushType?
  /// The collapse id's range in the request's bytes.
  package let collapseID: Range<Int>?
  /// Until when APNs may keep it; 1970 for one attempt, nil without `apns-expiration`.
  package let expiration: Instant?
  /// True if the phone has received the push before.
  package var isCopy = false
  /// The parsed payload, if many phones get the push and it was parsed once for all.
  package var shared: ParsedActivityUpdate?

  package init(
    number: UInt64, request: HTTPRequest, priority: Priority, type: PushType?, collapseID: Range<Int>? = nil,
    expiration: Instant? = nil
  ) {
    self.expiration = expiration
    self.number = number
    self.request = request
    self.priority = priority
    self.type = type
    self.collapseID = collapseID
  }

  /// The number that distinguishes the push on a phone, also from its own copy.
  var key: UInt64 { isCopy ? number | Self.copyMark : number }

  private static let copyMark: UInt64 = 1 << 62

  /// The number among the pushes of the world, and whether the key is that of a copy.
  package static func number(of key: UInt64) -> (number: UInt64, isCopy: Bool) {
    (key & ~copyMark, key & copyMark != 0)
  }

  package static func == (left: ArrivingPush, right: ArrivingPush) -> Bool {
    left.number == right.number && left.request == right.request && left.priority == right.priority
      && left.type == right.type && left.collapseID == right.collapseID && left.expiration == right.expiration
      && left.isCopy == right.isCopy
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }

  /// Passes the payload to `body`; nil if it is not JSON.
  @discardableResult
  func read<Result>(_ body: (JSONNode) -> Result) -> Result? {
    let storage = request.storage
    return try? JSONNode.read(storage.span, in: request.bodyStart..<storage.count, body)
  }

  /// The reaction to a payload that is not JSON, or not an object.
  var unreadable: Reaction { .dropped(.notJSON, detail: .unreadable(UnreadableBody(request: request))) }
}

/// The position of an activity on a phone, valid until one is started or ended.
struct ActivityIndex: Hashable, Sendable {
  let app: Int
  let index: Int

  init(_ app: Int, _ index: Int) {
    self.app = app
    self.index = index
  }
}

/// Identifies a deferred push; each key holds one.
enum DeferralKey: Hashable, Sendable {
  case activity(app: Int, UInt32)
  /// Notifications are not coalesced, so each has its own key.
  case notification(app: Int, push: UInt64)

  var app: Int {
    switch self {
    case .activity(let app, _), .notification(let app, _): app
    }
  }
}

/// A class because it is passed around until it is due. Immutable.
final class DeferredPush: Hashable, Sendable {
  let push: ArrivingPush
  /// The `aps.timestamp` of a Live Activity push.
  let timestamp: Double
  /// The parsed Live Activity push; nil for a notification.
  let parsed: ParsedActivityUpdate?
  let reason: Reaction.Hold
  /// Until when APNs keeps it, if it is not on the phone yet.
  let expires: Instant

  init(
    push: ArrivingPush, timestamp: Double, parsed: ParsedActivityUpdate?, reason: Reaction.Hold,
    expires: Instant = .distantFuture
  ) {
    self.expires = expires
    self.push = push
    self.timestamp = timestamp
    self.parsed = parsed
    self.reason = reason
  }

  static func == (left: DeferredPush, right: DeferredPush) -> Bool {
    left === right
      || left.push == right.push && left.timestamp == right.timestamp && left.parsed == right.parsed
        && left.reason == right.reason && left.expires == right.expires
  }

  func hash(into hasher: inout Hasher) { hasher.combine(push) }
}
