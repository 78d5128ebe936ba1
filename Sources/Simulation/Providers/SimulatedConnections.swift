import APNs
import Timeline

/// The connections of a simulated provider, each at a place of its own, and their streams.
struct SimulatedConnections: Sendable {
  private struct Connection: Sendable {
    var isOpen = false
    var lastStream: Int32 = -1
    /// Number of times that the connection was replaced after a GOAWAY.
    var replacements: UInt64 = 0
  }

  private var list: [Connection]
  private let first: UInt64

  /// - Parameter first: number of the first connection.
  init(_ count: Int, from first: UInt64) {
    list = Array(repeating: Connection(), count: count)
    self.first = first
  }

  /// The next stream of a connection, which is opened if it is not open.
  mutating func nextStream(
    _ place: Int, to environment: Environment, managesChannels: Bool, _ world: inout World, at now: Now
  ) -> StreamID {
    if list[place].isOpen, !world.serves(StreamID(id(place), list[place].lastStream + 2)) {
      replace(place, in: &world, at: now)
    }
    let id = id(place)
    if !list[place].isOpen {
      list[place].isOpen = true
      world.connectionOpened(id, to: environment, peer: "scenario", managesChannels: managesChannels, at: now)
    }
    list[place].lastStream = list[place].lastStream > Int32.max - 4 ? 1 : list[place].lastStream + 2
    return StreamID(id, list[place].lastStream)
  }

  /// - Parameter before: how many replacements ago.
  private func id(_ place: Int, before: UInt64 = 0) -> ProviderConnectionID {
    ProviderConnectionID(first + UInt64(place) + (list[place].replacements - before) * UInt64(list.count))
  }

  /// A GOAWAY excludes the next stream, so another connection is opened. The old one stays open for delayed answers,
  /// until it is replaced again.
  mutating func replace(_ place: Int, in world: inout World, at now: Now) {
    closeReplaced(place, in: &world, at: now)
    list[place] = Connection(replacements: list[place].replacements + 1)
  }

  private func closeReplaced(_ place: Int, in world: inout World, at now: Now) {
    if list[place].replacements > 0 { world.connectionClosed(id(place, before: 1), at: now) }
  }

  mutating func closeAll(in world: inout World, at now: Now) {
    for place in list.indices {
      closeReplaced(place, in: &world, at: now)
      if list[place].isOpen { world.connectionClosed(id(place), at: now) }
      list[place].isOpen = false
    }
  }
}
