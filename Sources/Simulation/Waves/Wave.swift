import APNs
import Devices
import Timeline

/// Work on many devices, done in portions: a million at once would hold the lock for seconds.
struct Wave: Sendable {
  enum Kind: Sendable {
    /// The action of a fault on its devices, while it is in force.
    case begin(String, serial: UInt64)
    /// The action that reverts it, on the devices where it was done.
    case revert([DeviceID], DeviceAction)
    /// A broadcast to the subscribers of its channel.
    case broadcast(Broadcast)
  }

  /// Waves of one lane go on one after the other: a revert must not overtake the action that it reverts, nor a
  /// broadcast an earlier one of its channel.
  enum Lane: Hashable, Sendable {
    case faults
    case channel(Subscriptions.ChannelKey)
  }

  let kind: Kind
  let began: Instant
  /// Number of waves that began before it.
  let number: UInt64
  /// Position at which it goes on: the number of devices looked at or, of a broadcast, the number of a subscription.
  fileprivate(set) var next: UInt64 = 0

  fileprivate init(_ kind: Kind, number: UInt64, at began: Instant) {
    self.kind = kind
    self.number = number
    self.began = began
  }

  var lane: Lane {
    switch kind {
    case .begin, .revert: .faults
    case .broadcast(let broadcast): .channel(broadcast.channel)
    }
  }
}

/// A broadcast on its way to phones.
struct Broadcast: Sendable {
  let request: BroadcastRequest
  let push: ArrivingPush
  /// Until when it is stored for phones that are offline; nil if it is not stored.
  let storedUntil: Instant?
  /// Number of Live Activities that subscribed to its channel when it was published.
  let subscribers: Int
  /// Number of the first subscription that came too late for it.
  let end: UInt64

  var channel: Subscriptions.ChannelKey { Subscriptions.ChannelKey(request) }
}

/// Waves in the order in which they began. The first waves of the lanes take turns.
package struct Waves: Sendable {
  private(set) var list: [Wave] = []
  /// Number of waves that have begun so far.
  private(set) var begun: UInt64 = 0
  package var portion: Portion

  init(_ portion: Portion = .usual) { self.portion = portion }

  /// Number of waves at which no further broadcast is accepted.
  static let most = 1_000

  /// Number of the wave that has gone on last.
  private var latest: UInt64?

  var isEmpty: Bool { list.isEmpty }
  var isFull: Bool { list.count >= Self.most }
  var count: Int { list.count }

  /// Adds a wave.
  ///
  /// - Returns: its place, if no other wave of its lane is in progress.
  mutating func append(_ kind: Wave.Kind, at now: Instant) -> Int? {
    let wave = Wave(kind, number: begun, at: now)
    begun += 1
    let mustWait = list.contains { $0.lane == wave.lane }
    list.append(wave)
    return mustWait ? nil : list.count - 1
  }

  /// The place of the wave that goes on next; nil if none is left.
  mutating func takeTurn() -> Int? {
    var lanes: Set<Wave.Lane> = []
    var first: Int?
    for (place, wave) in list.enumerated() where lanes.insert(wave.lane).inserted {
      if let latest, wave.number <= latest {
        first = first ?? place
      } else {
        first = place
        break
      }
    }
    latest = first.map { list[$0].number }
    return first
  }

  mutating func move(_ place: Int, to next: UInt64) { list[place].next = next }

  /// A wave is finished.
  mutating func remove(_ place: Int) { list.remove(at: place) }
}
