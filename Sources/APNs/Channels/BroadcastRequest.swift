import Timeline
import WireFormats

/// A broadcast that APNs accepts: all its fields have been read, and it has passed every rule.
///
/// The payload is not inspected. Documented: a broadcast cannot start a Live Activity. Apple names no reason for an
/// attempt, so it is accepted and the devices ignore it (Assumed).
package struct BroadcastRequest: Hashable, Sendable {
  /// The app that the broadcast is for, and its environment.
  package let home: ChannelOwner
  package let channel: Channel
  package let priority: Priority
  /// 1970 for a message that must not be stored.
  package let expiration: Instant
  /// The payload's range in the request's bytes.
  package let payload: Range<Int>

  /// Largest body, in bytes. Documented: "Sending broadcast push notification requests to APNs".
  package static let payloadLimit = 5120

  /// True if a request's path addresses a broadcast.
  package static func isAddressed(by request: HTTPRequest) -> Bool { ChannelPath(request)?.form == .broadcast }

  /// End of storage for devices that are offline; nil if the message is not stored.
  ///
  /// Documented: the most recent message is kept for 8 hours, or for less if `apns-expiration` says so. Assumed: 0
  /// means "not stored" even on a channel with storage, as it does for a push.
  package func storedUntil(at now: Instant) -> Instant? {
    guard channel.policy == .mostRecent, expiration > now else { return nil }
    return min(expiration, now.advanced(by: StoragePolicy.longestStorage))
  }

  /// Latest time until which delivery to an online phone may be deferred to save power; nil for no limit.
  ///
  /// Assumed: on a channel without storage `apns-expiration` must be 0, so it says nothing about the delay that
  /// priority 5 asks for. On a channel with storage 0 means one attempt, as it does for a push.
  package func deferrableUntil(at now: Instant) -> Instant? {
    channel.policy == .none ? nil : storedUntil(at: now) ?? Instant(seconds: 0)
  }

  /// True if the broadcast would be stored with an expiration in the future.
  package func isExpired(at now: Instant) -> Bool {
    channel.policy == .mostRecent && expiration.nanoseconds != 0 && expiration <= now
  }
}

/// The channel service's verdict on a broadcast.
package struct BroadcastVerdict: Sendable {
  /// The app in the path and the connection's environment. The app's name is empty if the path has none.
  package let home: ChannelOwner
  /// The client's own `apns-request-id`, if it is valid.
  package let requestID: NotificationID?
  /// The channel id in the request, whether the channel exists or not.
  package let channelID: ChannelID?
  package let outcome: Result<BroadcastRequest, ChannelRejection>
  /// Number of the provider's key, once the token has been accepted.
  package let keyNumber: Int?
  /// True if this request's provider token is the first one accepted on its connection.
  package let authorizesConnection: Bool

  /// The answer. Its request id is drawn unless the client sent one.
  ///
  /// - Parameter rejection: the reason for a rejection although the request passed every rule.
  package func answer(_ drawn: PushAnswer.DrawnIDs, but rejection: ChannelRejection? = nil) -> ChannelAnswer {
    let id = requestID ?? drawn.id
    if let rejection { return ChannelAnswer(requestID: id, outcome: .refused(rejection)) }
    return switch outcome {
    // Documented: in both environments, unlike for a push.
    case .success: ChannelAnswer(requestID: id, uniqueID: drawn.uniqueID, outcome: .published)
    case .failure(let rejection): ChannelAnswer(requestID: id, outcome: .refused(rejection))
    }
  }
}
