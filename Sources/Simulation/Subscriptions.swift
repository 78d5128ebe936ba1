import APNs
import Devices
import Timeline

/// Which Live Activities subscribe to which broadcast channel, and which messages offline phones have missed.
struct Subscriptions: Sendable {
  struct ChannelKey: Hashable, Sendable {
    let home: ChannelOwner
    /// As the app or the start named it, whether such a channel exists or not.
    let id: String
  }

  struct Subscriber: Hashable, Sendable {
    let device: DeviceID
    let app: Int
    let activity: UInt32
  }

  /// The last message of a channel that stores one.
  struct Message: Hashable, Sendable {
    let push: ArrivingPush
    let until: Instant
  }

  /// A message that an offline phone has not received.
  struct Missed: Hashable, Sendable {
    let channel: ChannelKey
    let push: UInt64
    let until: Instant
    /// The subscribers on the phone when this was settled.
    var subscribers: [Subscriber] = []

    /// - Precondition: it will not be delivered.
    func fate(at now: Instant) -> Fate { .discarded(until <= now ? .expired : .superseded) }
  }

  struct Shelf: Sendable {
    /// In the order of subscription, including some that have ended.
    var subscribers: [Subscriber] = []
    var gone = 0
    var message: Message?

    var isEmpty: Bool { subscribers.count == gone && message == nil }
  }

  struct Entry: Hashable, Sendable {
    let channel: ChannelKey
    let subscriber: Subscriber
  }

  /// The channels that exist.
  private(set) var channels: Set<ChannelKey> = []
  private(set) var shelves: [ChannelKey: Shelf] = [:]
  /// The subscriptions of each phone, in the order in which they began.
  private(set) var entries: [DeviceID: [Entry]] = [:]
  /// The last message of each channel that a phone has not received, in the order in which it missed the first ones.
  private(set) var missed: [DeviceID: [Missed]] = [:]
  /// Number of messages kept, and how many were left at the last clean-up.
  private(set) var messages = 0
  private var messagesLeft = 0
  /// Number of subscribers looked at: a measure of the work done here.
  private(set) var looks = 0

  mutating func open(_ channel: ChannelKey) { channels.insert(channel) }
  mutating func close(_ channel: ChannelKey) { channels.remove(channel) }

  func count(_ channel: ChannelKey) -> Int { shelves[channel].map { $0.subscribers.count - $0.gone } ?? 0 }

  /// Number of channels with subscribers or a message.
  var channelCount: Int { shelves.count }

  mutating func add(_ subscriber: Subscriber, to channel: ChannelKey) {
    shelves[channel, default: Shelf()].subscribers.append(subscriber)
    entries[subscriber.device, default: []].append(Entry(channel: channel, subscriber: subscriber))
  }

  /// The subscribers on a phone, including ended ones.
  func subscribers(on device: DeviceID) -> [Subscriber] { entries[device]?.map(\.subscriber) ?? [] }

  /// Removes ended subscribers on a phone. Called before another one begins, so that a phone has no more subscriptions
  /// than activities.
  mutating func remove(_ over: [Subscriber], on device: DeviceID) {
    guard let all = entries[device] else { return }
    looks += all.count
    let left = all.filter { !over.contains($0.subscriber) }
    entries[device] = left.isEmpty ? nil : left
    for entry in all where over.contains(entry.subscriber) {
      shelves[entry.channel]?.gone += 1
      tidy(entry.channel)
    }
  }

  /// The subscribers of a channel in the order of subscription, including ended ones.
  func all(_ channel: ChannelKey) -> [Subscriber] { shelves[channel]?.subscribers ?? [] }

  mutating func keep(only current: [Subscriber], of channel: ChannelKey) {
    guard var shelf = shelves[channel] else { return }
    let kept = Set(current)
    for subscriber in shelf.subscribers where !kept.contains(subscriber) { forget(subscriber, channel) }
    shelf.subscribers = current
    shelf.gone = 0
    shelves[channel] = shelf.isEmpty ? nil : shelf
  }

  private mutating func forget(_ subscriber: Subscriber, _ channel: ChannelKey) {
    entries[subscriber.device]?.removeAll { $0.subscriber == subscriber && $0.channel == channel }
    if entries[subscriber.device]?.isEmpty ?? false { entries[subscriber.device] = nil }
  }

  /// Drops the ended subscribers of a channel once they are half of them.
  private mutating func tidy(_ channel: ChannelKey) {
    guard var shelf = shelves[channel], shelf.isEmpty || shelf.gone > 16 && 2 * shelf.gone > shelf.subscribers.count
    else { return }
    looks += shelf.subscribers.count
    shelf.subscribers.removeAll {
      !(entries[$0.device]?.contains(Entry(channel: channel, subscriber: $0)) ?? false)
    }
    shelf.gone = 0
    shelves[channel] = shelf.isEmpty ? nil : shelf
  }

  // MARK: - Missed messages

  mutating func keep(_ message: Message, of channel: ChannelKey, at now: Instant) {
    if shelves[channel]?.message == nil { messages += 1 }
    shelves[channel, default: Shelf()].message = message
    guard messages > 2 * messagesLeft + 64 else { return }
    for (channel, shelf) in shelves where shelf.message.map({ $0.until <= now }) ?? false { forgetMessage(of: channel) }
    messagesLeft = messages
  }

  /// The channel's message will not be delivered any more.
  mutating func forgetMessage(of channel: ChannelKey) {
    guard shelves[channel]?.message != nil else { return }
    messages -= 1
    shelves[channel]?.message = nil
    if shelves[channel]?.isEmpty ?? false { shelves[channel] = nil }
  }

  /// - Returns: the older message of the channel that this one replaces, if the phone has missed that too.
  @discardableResult
  mutating func miss(_ message: Missed, on device: DeviceID) -> Missed? {
    guard let index = missed[device]?.firstIndex(where: { $0.channel == message.channel }) else {
      missed[device, default: []].append(message)
      return nil
    }
    guard var older = missed[device]?[index], older.push != message.push else { return nil }
    missed[device]?[index] = message
    older.subscribers = subscribers(on: device, to: older.channel)
    return older
  }

  /// The messages that a phone has missed, with the subscribers there, and those that it may still receive.
  mutating func takeMissed(on device: DeviceID, at now: Instant) -> [(missed: Missed, message: Message?)] {
    (missed.removeValue(forKey: device) ?? []).map { missed in
      var missed = missed
      missed.subscribers = subscribers(on: device, to: missed.channel)
      let message = shelves[missed.channel]?.message
      return (missed, message.flatMap { $0.until > now ? $0 : nil })
    }
  }

  private mutating func subscribers(on device: DeviceID, to channel: ChannelKey) -> [Subscriber] {
    let mine = entries[device] ?? []
    looks += mine.count
    return mine.filter { $0.channel == channel }.map(\.subscriber)
  }
}
