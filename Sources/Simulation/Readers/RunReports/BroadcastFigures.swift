import APNs
import Devices
import Timeline
import WireFormats

/// Broadcasts that may still reach phones. Only the latest are followed.
package struct BroadcastFigures: Sendable {
  struct Open: Sendable {
    let at: Instant
    let event: Instant?
  }

  private static let most = 2 * Waves.most

  package private(set) var count: UInt64 = 0
  package private(set) var refused: UInt64 = 0
  private var open: [UInt64: Open] = [:]
  private var order: [UInt64] = []

  package init() {}

  mutating func publish(_ number: UInt64, _ broadcast: Open) {
    count += 1
    if order.count >= Self.most {
      for old in order.prefix(Self.most / 2) { open[old] = nil }
      order.removeFirst(Self.most / 2)
    }
    open[number] = broadcast
    order.append(number)
  }

  mutating func refuse() { refused += 1 }

  /// Forgets the broadcasts that may still reach phones: there are new phones, and the numbers begin again.
  mutating func beginAnew() { (open, order) = ([:], []) }

  subscript(number: UInt64) -> Open? { open[number] }
}

extension RunTally {
  /// The number by which events on phones refer to the broadcast; no push has such a number.
  private static func key(_ record: ChannelRecord) -> UInt64 { record.number | 1 << 63 }

  mutating func readBroadcast(_ record: ChannelRecord) {
    let key = Self.key(record)
    guard record.operation == .publish else { return }
    guard record.answer.rejection == nil else { return broadcasts.refuse() }
    let request = record.request
    let (storage, body) = (request.storage, request.bodyStart..<request.storage.count)
    let now = record.at.world
    let event = LatencyTally.eventTime(storage.span, body).flatMap { latency.accept($0, at: now) }
    broadcasts.publish(key, .init(at: now, event: event))
    fanOuts.broadcast(key, at: now, name: "broadcast on channel \(record.channelID?.text ?? "")")
  }

  mutating func broadcast(_ key: UInt64, on device: DeviceID, _ fate: Fate, at now: Instant) {
    let found = PushFate(fate, kind: nil)
    _ = fates.add(found)
    fanOuts.reached(key)
    if found.isOnScreen, let open = broadcasts[key] {
      latency.shown(receivedAt: open.at, event: open.event, at: now)
      fanOuts.shown(key, sentAt: open.at, at: now)
    }
    guard found.isLost else { return }
    phones.update(device, default: TroubledPhone()) {
      $0.add(TroubledPhone.Incident(at: now, push: 0, reason: nil, fate: found))
    }
  }
}
