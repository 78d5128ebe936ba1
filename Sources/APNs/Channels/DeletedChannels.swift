/// The ids of deleted channels, as many as fit: the one deleted first is forgotten first.
struct DeletedChannels: Sendable {
  private let capacity: Int
  private var ids: Set<ChannelID> = []
  /// In the order of deletion; once full, the next place to write is that of the oldest.
  private var ring: [ChannelID] = []
  private var oldest = 0

  init(capacity: Int) {
    precondition(capacity > 0, "a memory holds something")
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
