import APNs
import Timeline
import WireFormats

/// The broadcast channels there are, and the requests about them. Who listens to a channel is known to the devices.
struct BroadcastChannels: Sendable {
  /// Broadcasts have numbers of their own, so that those of the ledger follow one another.
  private static let broadcastMark: UInt64 = 1 << 63

  private var desk: ChannelDesk
  /// Broadcasts and requests about channels so far.
  private var requests: UInt64 = 0

  init(seed: UInt64, rulebook: ChannelRulebook) { desk = ChannelDesk(seed: seed, rulebook: rulebook) }

  /// Number of the broadcast at hand as a push.
  var broadcastNumber: UInt64 { Self.broadcastMark | (requests + 1) }

  /// Answers a request on a connection that manages channels; `drawn` is its id where the client sent none.
  mutating func answer(
    _ request: HTTPRequest, on connection: inout ProviderConnection, through gatekeeper: inout Gatekeeper,
    drawing drawn: NotificationID, at now: Now
  ) -> ChannelVerdict {
    desk.answer(request, on: &connection, through: &gatekeeper, drawing: drawn, at: now)
  }

  /// Applies the rules to a broadcast.
  func admit(
    _ request: HTTPRequest, on connection: inout ProviderConnection, through gatekeeper: inout Gatekeeper, at now: Now
  ) -> BroadcastVerdict {
    desk.admitBroadcast(request, on: &connection, through: &gatekeeper, at: now)
  }

  /// Counts a request.
  ///
  /// - Returns: its number.
  mutating func countRequest() -> UInt64 {
    requests += 1
    return requests
  }

  /// Whether there is a channel of that id.
  func contains(_ id: String, in home: ChannelHome) -> Bool {
    ChannelID(id).map { desk.registry.standing(of: $0, in: home).channel != nil } ?? false
  }

  func count(in home: ChannelHome) -> Int { desk.registry.count(in: home) }

  /// The channels of a home in the order they were made.
  func channels(in home: ChannelHome) -> [Channel] { desk.registry.channels(in: home) }
}
