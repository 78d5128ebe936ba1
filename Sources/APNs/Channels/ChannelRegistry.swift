import Timeline

/// All broadcast channels, by owner.
package struct ChannelRegistry: Sendable {
  /// Documented: 10,000 channels for an app in an environment ("Sending channel management requests to APNs").
  package static let mostPerHome = 10_000
  /// Number of deleted ids remembered per owner. Assumed: Apple's memory is unknown. One full set of channels is enough
  /// to recognize a backend that keeps publishing to channels it has deleted.
  package static let deletedRemembered = 10_000

  private struct Shelf: Sendable {
    var channels: [ChannelID: Channel] = [:]
    /// The used part of each channel's rate, if there is a limit.
    var paces: [ChannelID: RateState] = [:]
    var deleted = DeletedChannels(capacity: ChannelRegistry.deletedRemembered)
    /// Number of ids drawn so far: one for each channel ever created.
    var draws: UInt64 = 0

    mutating func add(_ policy: StoragePolicy, from source: Chance, at now: Instant) -> Channel {
      var id = ChannelID(source, count: draws)
      // Two equal draws of 108 bits are practically impossible, but an id must never be given twice.
      while channels[id] != nil || deleted.contains(id) {
        draws &+= 1
        id = ChannelID(source, count: draws)
      }
      let channel = Channel(id: id, policy: policy, number: draws, createdAt: now)
      draws &+= 1
      channels[id] = channel
      return channel
    }
  }

  private let perHome: Int
  private let chance: Chance
  private var shelves: [ChannelOwner: Shelf] = [:]

  /// - Parameter perHome: channels that an app may have in an environment, at most `mostPerHome`.
  package init(seed: UInt64, perHome: Int = Self.mostPerHome) {
    self.perHome = min(max(perHome, 0), Self.mostPerHome)
    chance = Chance(seed: seed).stream(for: "channel-id")
  }

  package func count(in home: ChannelOwner) -> Int { shelves[home]?.channels.count ?? 0 }

  package func hasRoom(in home: ChannelOwner) -> Bool { count(in: home) < perHome }

  package func status(of id: ChannelID, in home: ChannelOwner) -> ChannelStatus {
    guard let shelf = shelves[home] else { return .unknown }
    if let channel = shelf.channels[id] { return .live(channel) }
    return shelf.deleted.contains(id) ? .deleted : .unknown
  }

  /// The channels of an owner in the order of creation.
  package func channels(in home: ChannelOwner) -> [Channel] {
    (shelves[home]?.channels.values).map { $0.sorted { $0.number < $1.number } } ?? []
  }

  /// Creates a channel; nil if the owner has no room left.
  ///
  /// The same seed gives an owner the same sequence of ids, whatever other owners do.
  package mutating func create(_ policy: StoragePolicy, in home: ChannelOwner, at now: Instant) -> Channel? {
    guard hasRoom(in: home) else { return nil }
    let source = chance.stream(for: "\(home.environment.rawValue) \(home.bundleID)")
    return shelves[home, default: Shelf()].add(policy, from: source, at: now)
  }

  /// Deletes a channel and returns it; nil if it does not exist.
  package mutating func delete(_ id: ChannelID, in home: ChannelOwner) -> Channel? {
    guard let channel = shelves[home]?.channels.removeValue(forKey: id) else { return nil }
    shelves[home]?.deleted.remember(id)
    shelves[home]?.paces[id] = nil
    return channel
  }

  /// Counts a broadcast to a channel; false if it exceeds the rate limit.
  mutating func admit(_ channel: Channel, in home: ChannelOwner, _ limit: RequestRate?, at now: Instant) -> Bool {
    guard let limit else { return true }
    return shelves[home]?.paces[channel.id, default: RateState()].admit(limit, at: now) ?? true
  }
}

/// The ids of deleted channels, up to a capacity. The id deleted first is forgotten first.
struct DeletedChannels: Sendable {
  private let capacity: Int
  private var ids: Set<ChannelID> = []
  /// In the order of deletion. When full, the next position to write is that of the oldest id.
  private var ring: [ChannelID] = []
  private var oldest = 0

  init(capacity: Int) {
    precondition(capacity > 0, "the capacity is positive")
    self.capacity = capacity
  }

  var count: Int { ids.count }

  func contains(_ id: ChannelID) -> Bool { ids.contains(id) }

  mutating func remember(_ id: ChannelID) {
    guard ids.insert(id).inserted else { return }
    guard ring.count >= capacity else { return ring.append(id) }
    ids.remove(ring[oldest])
    ring[oldest] = id
    oldest = (oldest + 1) % capacity
  }
}
