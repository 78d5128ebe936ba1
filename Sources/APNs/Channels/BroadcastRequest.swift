import Timeline
import WireFormats

/// A broadcast that APNs takes: every field has been read and every rule holds.
///
/// Its payload is not looked into. Documented: a broadcast cannot start a Live Activity; Apple names no reason for one
/// that tries, so it is accepted and the devices ignore it (Assumed).
package struct BroadcastRequest: Hashable, Sendable {
  /// The app it is for, and its environment.
  package let home: ChannelOwner
  package let channel: Channel
  package let priority: Priority
  /// 1970 for a message that is not to be stored.
  package let expiration: Instant
  /// Where the payload lies in the request's bytes.
  package let payload: Range<Int>

  /// Largest body, in bytes. Documented: "Sending broadcast push notification requests to APNs".
  package static let payloadLimit = 5120

  /// Whether a request is one by its path.
  ///
  /// To be asked about requests that were refused as pushes, which every broadcast is: so a push that is accepted
  /// costs nothing for there being broadcasts.
  package static func isAddressed(by request: HTTPRequest) -> Bool { ChannelPath(request)?.form == .broadcast }

  /// Until when the message is kept for devices that are away; nil when it is not.
  ///
  /// Documented: the most recent message is kept for 8 hours, or for less if `apns-expiration` says so. Assumed: 0
  /// means "not stored" on a channel that stores, too, as it does for a push.
  package func storedUntil(at now: Instant) -> Instant? {
    guard channel.policy == .mostRecent, expiration > now else { return nil }
    return min(expiration, now.advanced(by: StoragePolicy.longestStorage))
  }
}

/// What became of a broadcast in the channel service.
package struct BroadcastVerdict: Sendable {
  /// The app that the path names, and the environment of the connection; an app without a name where the path has none.
  package let home: ChannelOwner
  /// The client's own `apns-request-id`, if it sent a sound one.
  package let requestID: NotificationID?
  /// The channel it names, whether that exists or not.
  package let channelID: ChannelID?
  package let outcome: Result<BroadcastRequest, ChannelRejection>
  /// Number of the provider's key, once the token has passed.
  package let keyNumber: Int?
  /// This request's provider token is the first that passed on its connection.
  package let authorisesConnection: Bool

  /// The answer; `drawn` is its request id unless the client sent one.
  package func answer(_ drawn: NotificationID) -> ChannelAnswer {
    switch outcome {
    case .success: ChannelAnswer(requestID: requestID ?? drawn, outcome: .published)
    case .failure(let rejection): ChannelAnswer(requestID: requestID ?? drawn, outcome: .refused(rejection))
    }
  }
}
