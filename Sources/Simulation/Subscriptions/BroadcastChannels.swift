import APNs
import Devices
import Timeline
import WireFormats

/// The broadcast channels and the requests about them. The devices know who subscribes to a channel.
struct BroadcastChannels: Sendable {
  private var service: ChannelService
  /// Number of broadcasts and requests about channels so far.
  private var requests: UInt64 = 0

  var rulebook: ChannelRulebook { service.rulebook }

  init(seed: UInt64, rulebook: ChannelRulebook) { service = ChannelService(seed: seed, rulebook: rulebook) }

  /// The number of the current broadcast as a push.
  var broadcastNumber: UInt64 { BroadcastNumber.mark | (requests + 1) }

  /// Checks a request on a channel management connection.
  func check(
    _ request: HTTPRequest, on connection: inout ProviderConnection, through validator: inout RequestValidator,
    at now: Now
  ) -> CheckedChannelRequest {
    service.check(request, on: &connection, through: &validator, at: now)
  }

  /// Answers it. Its id is `drawn` unless the client sent one.
  mutating func answer(
    _ checked: CheckedChannelRequest, but rejection: ChannelRejection?, drawing drawn: NotificationID, at now: Instant
  ) -> ChannelVerdict {
    service.answer(checked, but: rejection, drawing: drawn, at: now)
  }

  /// Applies the rules to a broadcast.
  mutating func admit(
    _ request: HTTPRequest, on connection: inout ProviderConnection, through validator: inout RequestValidator,
    at now: Now
  ) -> BroadcastVerdict {
    service.admitBroadcast(request, on: &connection, through: &validator, at: now)
  }

  /// Counts a request.
  ///
  /// - Returns: its number.
  mutating func countRequest() -> UInt64 {
    requests += 1
    return requests
  }

  func count(in home: ChannelOwner) -> Int { service.registry.count(in: home) }

  /// The channels of an owner in the order of creation.
  func channels(in home: ChannelOwner) -> [Channel] { service.registry.channels(in: home) }
}

/// A request to the broadcast interfaces, with its answer.
package struct ChannelRecord: Hashable, Sendable {
  /// The number of this request among those to the broadcast interfaces, from 1.
  package let number: UInt64
  package let at: Now
  package let stream: StreamID
  package let home: ChannelOwner
  package let operation: ChannelOperation?
  package let channelID: ChannelID?
  package let request: HTTPRequest
  package let answer: ChannelAnswer
  package let keyNumber: Int?
  /// Number of Live Activities subscribed to the channel of a broadcast.
  package let subscribers: Int
  /// The fault that struck it.
  package var fault: String?
  /// The answer that was sent, if a fault changed it; nil if the answer was sent as decided.
  package var sent: SentAnswer?

  /// True if the answer is among the commands to the wire, or was not sent.
  package var isAnsweredApart: Bool { sent != nil }
}

/// The number of a broadcast as a push. Broadcasts have separate numbers, so that the numbers of pushes in the push log
/// are consecutive.
package enum BroadcastNumber {
  static let mark: UInt64 = 1 << 63

  static func isBroadcast(_ push: UInt64) -> Bool { push & mark != 0 }

  /// The number of a broadcast among the requests to the broadcast interfaces, from its number as a push.
  package static func ofRequest(_ push: UInt64) -> UInt64 { push & ~mark }
}
