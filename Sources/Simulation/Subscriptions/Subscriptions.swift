import APNs
import Devices
import Timeline

/// The subscriptions of Live Activities to broadcast channels, and the messages that offline phones have missed.
struct Subscriptions: Sendable {
  struct ChannelKey: Hashable, Sendable {
    let home: ChannelOwner
    /// As the app or the start named it, whether such a channel exists or not.
    let id: String

    init(home: ChannelOwner, id: String) {
      self.home = home
      self.id = id
    }

    init(_ broadcast: BroadcastRequest) { self.init(home: broadcast.home, id: broadcast.channel.id.text) }
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
    /// Number of the first subscription that came too late for it.
    let end: UInt64
    /// The subscriptions for which it is stored. A broadcast in progress reaches the phone's other subscriptions later.
    /// Some may have ended since.
    fileprivate(set) var entries: [SubscriberList.Entry]
    /// The subscribers on the phone when this was settled.
    fileprivate(set) var subscribers: [Subscriber] = []

    init(
      channel: ChannelKey, push: UInt64, until: Instant, end: UInt64 = .max, entries: [SubscriberList.Entry] = []
    ) {
      self.channel = channel
      self.push = push
      self.until = until
      self.end = end
      self.entries = entries
    }

    /// - Precondition: it will not be delivered.
    func fate(at now: Instant) -> Fate { .discarded(until <= now ? .expired : .superseded) }
  }

  struct Shelf: Sendable {
    var subscribers = SubscriberList()
    var message: Message?

    var isEmpty: Bool { subscribers.isEmpty && message == nil }
  }

  /// The subscriptions of a phone, in order, and the last message of each channel that it has not received, in the
  /// order in which it missed the first ones.
  struct Listener: Sendable {
    var subscriptions: [(channel: ChannelKey, entry: SubscriberList.Entry)] = []
    var missed: [Missed] = []

    var isEmpty: Bool { subscriptions.isEmpty && missed.isEmpty }
  }

  /// The channels that exist.
  private(set) var channels: Set<ChannelKey> = []
  private(set) var shelves: [ChannelKey: Shelf] = [:]
  private(set) var listeners = DeviceTable<Listener>()
  /// Number of the next subscription.
  private(set) var end: UInt64 = 0
  /// Number of messages kept, and how many were left at the last clean-up.
  private(set) var messages = 0
  private var messagesLeft = 0
  /// Number of subscribers looked at: a measure of the work done here.
  private(set) var looks = 0

  mutating func open(_ channel: ChannelKey) { channels.insert(channel) }
  mutating func close(_ channel: ChannelKey) { channels.remove(channel) }

  func count(_ channel: ChannelKey) -> Int { shelves[channel]?.subscribers.count ?? 0 }

  /// Number of channels with subscribers or a message.
  var channelCount: Int { shelves.count }

  /// A Live Activity subscribes, unless it does already.
  ///
  /// - Returns: the new subscription.
  @discardableResult
  mutating func add(_ subscriber: Subscriber, to channel: ChannelKey) -> SubscriberList.Entry? {
    guard !subscribers(on: subscriber.device).contains(subscriber) else { return nil }
    let entry = SubscriberList.Entry(number: end, subscriber: subscriber)
    end += 1
    shelves[channel, default: Shelf()].subscribers.append(entry)
    change(subscriber.device) { $0.subscriptions.append((channel, entry)) }
    return entry
  }

  /// A Live Activity has ended, which may never have subscribed.
  mutating func remove(_ subscriber: Subscriber) {
    let mine = listeners[subscriber.device]?.subscriptions ?? []
    looks += mine.count
    guard let index = mine.firstIndex(where: { $0.entry.subscriber == subscriber }) else { return }
    let (channel, entry) = mine[index]
    change(subscriber.device) { _ = $0.subscriptions.remove(at: index) }
    shelves[channel]?.subscribers.remove(entry.number)
    tidy(channel)
  }

  /// The subscribers on a phone.
  func subscribers(on device: DeviceID) -> [Subscriber] {
    listeners[device]?.subscriptions.map(\.entry.subscriber) ?? []
  }

  /// Subscriptions of a channel with numbers from `start` on and below `end`.
  func page(_ channel: ChannelKey, from start: UInt64, before end: UInt64, most: Int) -> [SubscriberList.Entry] {
    shelves[channel]?.subscribers.page(from: start, before: end, most: most) ?? []
  }

  private mutating func change<Result>(_ device: DeviceID, _ body: (inout Listener) -> Result) -> Result {
    func change(_ place: inout Listener?) -> Result {
      var listener = place.take() ?? Listener()
      defer { place = listener.isEmpty ? nil : listener }
      return body(&listener)
    }
    return change(&listeners[device])
  }

  private mutating func tidy(_ channel: ChannelKey) {
    if shelves[channel]?.isEmpty ?? false { shelves[channel] = nil }
  }

  // MARK: - Missed messages

  mutating func keep(_ message: Message, of channel: ChannelKey, at now: Instant) {
    if shelves[channel]?.message == nil { messages += 1 }
    shelves[channel, default: Shelf()].message = message
    guard messages > 2 * messagesLeft + 64 else { return }
    for (channel, shelf) in shelves where shelf.message.map({ $0.until <= now }) ?? false { forgetMessage(of: channel) }
    messagesLeft = messages
  }

  /// The message that a channel stores.
  func message(of channel: ChannelKey, at now: Instant) -> Message? {
    shelves[channel]?.message.flatMap { $0.until > now ? $0 : nil }
  }

  /// True if a phone has missed this message.
  func hasMissed(_ push: UInt64, of channel: ChannelKey, on device: DeviceID) -> Bool {
    listeners[device]?.missed.contains { $0.channel == channel && $0.push == push } ?? false
  }

  /// The channel's message will not be delivered any more.
  mutating func forgetMessage(of channel: ChannelKey) {
    guard shelves[channel]?.message != nil else { return }
    messages -= 1
    shelves[channel]?.message = nil
    tidy(channel)
  }

  /// A phone has missed a message for one of its subscriptions.
  ///
  /// - Returns: the older message of the channel that this one replaces, if the phone has missed that too.
  @discardableResult
  mutating func miss(_ message: Missed, on device: DeviceID) -> Missed? {
    let older = change(device) { listener -> Missed? in
      guard let index = listener.missed.firstIndex(where: { $0.channel == message.channel }) else {
        listener.missed.append(message)
        return nil
      }
      guard listener.missed[index].push != message.push else {
        listener.missed[index].entries += message.entries
        return nil
      }
      defer { listener.missed[index] = message }
      return listener.missed[index]
    }
    return older.map { settled($0, on: device) }
  }

  /// True if a newer message of the channel is stored for a phone than one that was on its way to it.
  func hasMissedNewer(than push: UInt64, of channel: ChannelKey, on device: DeviceID) -> Bool {
    listeners[device]?.missed.contains { $0.channel == channel && $0.push > push } ?? false
  }

  /// The messages that a phone has missed, with the subscribers there, and those that it may still receive: a newer one
  /// of the channel comes by itself.
  mutating func takeMissed(on device: DeviceID, at now: Instant) -> [(missed: Missed, message: Message?)] {
    guard listeners[device]?.missed.isEmpty == false else { return [] }
    let all = change(device) { listener in
      defer { listener.missed = [] }
      return listener.missed
    }
    return all.map { missed in
      let message = shelves[missed.channel]?.message
      let isThere = message.map { $0.until > now && $0.push.number == missed.push } ?? false
      return (settled(missed, on: device), isThere ? message : nil)
    }
  }

  private mutating func settled(_ missed: Missed, on device: DeviceID) -> Missed {
    let mine = listeners[device]?.subscriptions ?? []
    looks += mine.count + missed.entries.count
    var settled = missed
    let later = mine.filter { $0.channel == missed.channel && $0.entry.number >= missed.end }
    let all = missed.entries + later.map(\.entry)
    settled.subscribers = all.sorted { $0.number < $1.number }.map(\.subscriber)
    return settled
  }
}
