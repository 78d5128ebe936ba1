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
  /// The request as faults see it; nil if no fault struck arrivals when it was published.
  let subject: ChannelRequestSubject?
  /// End of storage for phones that are offline; nil if the broadcast is not stored.
  let storedUntil: Instant?
  /// Number of Live Activities that subscribed to its channel when it was published.
  let subscribers: Int
  /// Number of the first subscription that came too late for it.
  let end: UInt64

  var channel: Subscriptions.ChannelKey { Subscriptions.ChannelKey(request) }
}

/// The waves in progress. The first waves of the lanes take turns; the others of a lane wait for its first.
package struct Waves: Sendable {
  /// The waves of one lane, in the order in which they began; at least one.
  private struct Queue {
    let lane: Wave.Lane
    var waves: [Wave]
  }

  /// The lane whose turn is next comes first.
  private var queues: [Queue] = []
  /// Number of waves that have begun so far.
  private(set) var begun: UInt64 = 0
  /// Number of broadcasts, and of actions of faults and their reverts.
  private var broadcasts = 0
  private var actions = 0
  package var portion: Portion

  init(_ portion: Portion = .usual) { self.portion = portion }

  /// Number of broadcasts at which no further one is accepted, and the same for actions of faults.
  static let most = 1_000

  var isEmpty: Bool { queues.isEmpty }
  var count: Int { broadcasts + actions }
  var hasActions: Bool { actions > 0 }
  var acceptsBroadcasts: Bool { broadcasts < Self.most }
  var acceptsActions: Bool { actions < Self.most }
  /// Lane by lane, the lane whose turn is next first.
  var all: [Wave] { queues.flatMap(\.waves) }

  /// True if one of the first `count` waves is a broadcast.
  func hasBroadcasts(amongFirst count: UInt64) -> Bool {
    queues.contains { $0.lane != .faults && $0.waves[0].number < count }
  }

  /// Adds a wave.
  ///
  /// - Returns: the place of its lane; nil if another wave of the lane is in progress.
  mutating func append(_ kind: Wave.Kind, at now: Instant) -> Int? {
    let wave = Wave(kind, number: begun, at: now)
    begun += 1
    if wave.lane == .faults { actions += 1 } else { broadcasts += 1 }
    if let place = queues.firstIndex(where: { $0.lane == wave.lane }) {
      queues[place].waves.append(wave)
      return nil
    }
    queues.append(Queue(lane: wave.lane, waves: [wave]))
    return queues.count - 1
  }

  /// The first wave of a lane.
  func wave(at place: Int) -> Wave { queues[place].waves[0] }

  /// Moves the first wave of a lane, or removes it if it is finished.
  ///
  /// - Parameter next: nil if it is finished.
  mutating func move(_ place: Int, to next: UInt64?) {
    if let next {
      queues[place].waves[0].next = next
      return
    }
    if queues[place].lane == .faults { actions -= 1 } else { broadcasts -= 1 }
    queues[place].waves.removeFirst()
    if queues[place].waves.isEmpty { queues.remove(at: place) }
  }

  /// Ends the turn of the first lane: its next one comes after those of all others.
  ///
  /// - Parameter next: where its wave continues; nil if it is finished.
  mutating func endTurn(at next: UInt64?) {
    let lane = queues[0].lane
    move(0, to: next)
    if let first = queues.first, first.lane == lane { queues.append(queues.removeFirst()) }
  }
}
