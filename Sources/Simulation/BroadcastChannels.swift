import APNs
import Devices
import Timeline
import WireFormats

/// The broadcast channels there are, and the requests about them. Who listens to a channel is known to the devices.
struct BroadcastChannels: Sendable {
  /// Broadcasts have numbers of their own, so that those of the push log follow one another.
  private static let broadcastMark: UInt64 = 1 << 63

  private var service: ChannelService
  /// Broadcasts and requests about channels so far.
  private var requests: UInt64 = 0

  init(seed: UInt64, rulebook: ChannelRulebook) { service = ChannelService(seed: seed, rulebook: rulebook) }

  /// Number of the broadcast at hand as a push.
  var broadcastNumber: UInt64 { Self.broadcastMark | (requests + 1) }

  /// Answers a request on a connection that manages channels; `drawn` is its id where the client sent none.
  mutating func answer(
    _ request: HTTPRequest, on connection: inout ProviderConnection, through validator: inout RequestValidator,
    drawing drawn: NotificationID, at now: Now
  ) -> ChannelVerdict {
    service.answer(request, on: &connection, through: &validator, drawing: drawn, at: now)
  }

  /// Applies the rules to a broadcast.
  func admit(
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

  /// Whether there is a channel of that id.
  func contains(_ id: String, in home: ChannelOwner) -> Bool {
    ChannelID(id).map { service.registry.status(of: $0, in: home).channel != nil } ?? false
  }

  func count(in home: ChannelOwner) -> Int { service.registry.count(in: home) }

  /// The channels of a home in the order they were made.
  func channels(in home: ChannelOwner) -> [Channel] { service.registry.channels(in: home) }
}

/// One request to the broadcast interfaces: what was asked and what was answered.
package struct ChannelRecord: Hashable, Sendable {
  /// Counts these requests, from 1.
  package let number: UInt64
  package let at: Now
  package let stream: StreamID
  package let home: ChannelOwner
  package let operation: ChannelOperation?
  package let channelID: ChannelID?
  package let request: HTTPRequest
  package let answer: ChannelAnswer
  package let keyNumber: Int?
  /// Live Activities that a broadcast was for.
  package let subscribers: Int
}
