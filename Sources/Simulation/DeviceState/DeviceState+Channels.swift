import APNs
import Devices
import Timeline
import WireFormats

/// A subscription that gets the message that its channel stores.
struct NewSubscription {
  let channel: Subscriptions.ChannelKey
  let entry: SubscriberList.Entry
}

/// Delivery of broadcasts to the Live Activities of phones.
extension DeviceState {
  /// Publishes a broadcast, which goes on as a wave.
  ///
  /// - Parameter subject: the request as faults see it.
  mutating func publish(
    _ request: BroadcastRequest, _ push: ArrivingPush, as subject: ChannelRequestSubject, at now: Instant
  ) -> Broadcast {
    let channel = Subscriptions.ChannelKey(request)
    let storedUntil = request.storedUntil(at: now)
    if let storedUntil { subscriptions.keep(.init(push: push, until: storedUntil), of: channel, at: now) }
    return Broadcast(
      request: request, push: push, subject: faults.strikesArrivals ? subject : nil, storedUntil: storedUntil,
      subscribers: subscriptions.count(channel),
      end: subscriptions.end)
  }

  /// Delivers a portion of a broadcast, phone by phone in the order of subscription.
  ///
  /// - Parameter start: the number of the next subscription.
  /// - Returns: the number of the next subscription; nil if everybody who subscribed before the broadcast has it.
  mutating func deliver(
    _ broadcast: Broadcast, from start: UInt64, _ count: inout PortionCount, at now: Instant
  ) -> UInt64? {
    var next = start
    while true {
      // One entry more than needed, which is missing at the end of the list.
      let most = count.eventsLeft(output) + 1
      let page = subscriptions.page(broadcast.channel, from: next, before: broadcast.end, most: most)
      for entry in page {
        guard count.hasRoom(output) else { return entry.number }
        count.look()
        // An activity that ends at this instant is still in the list.
        guard isListening(entry.subscriber, at: now) else { continue }
        if let subject = broadcast.subject, send(broadcast, as: subject, to: entry, at: now) { continue }
        receive(broadcast, on: entry, at: now)
        if underway.hasOvertaken { overtake(.init(entry.subscriber), at: now) }
      }
      guard page.count == most, let last = page.last else { return nil }
      next = last.number + 1
    }
  }

  /// A copy of a broadcast reaches a phone, or is stored or lost if the phone is offline.
  @discardableResult
  mutating func receive(_ broadcast: Broadcast, on entry: SubscriberList.Entry, at now: Instant) -> Fate {
    let reached = fate(of: broadcast, on: entry, at: now)
    output.append(.broadcastReached(broadcast.push.number, entry.subscriber.device, reached, at: now))
    return reached
  }

  private mutating func fate(of broadcast: Broadcast, on entry: SubscriberList.Entry, at now: Instant) -> Fate {
    let subscriber = entry.subscriber
    guard !fleet.isOnline(subscriber.device) else {
      return receive(broadcast.push, on: subscriber, at: now).fate()
    }
    guard let until = broadcast.storedUntil, until > now else {
      // Documented: without storage, the message is lost on a phone that is offline.
      let isExpired = broadcast.storedUntil != nil || broadcast.request.isExpired(at: now)
      return .discarded(isExpired ? .expired : .notStored)
    }
    guard !subscriptions.hasMissedNewer(than: broadcast.push.number, of: broadcast.channel, on: subscriber.device)
    else { return .discarded(.superseded) }
    let missed = Subscriptions.Missed(
      channel: broadcast.channel, push: broadcast.push.number, until: until, end: broadcast.end,
      entries: [entry])
    if let older = subscriptions.miss(missed, on: subscriber.device) { discard(older, at: now) }
    return .stored(.offline)
  }

  private func isListening(_ subscriber: Subscriptions.Subscriber, at now: Instant) -> Bool {
    let install = fleet.install(subscriber.device, app: subscriber.app)
    return install.activity(subscriber.activity).map { !$0.isOver(at: now) } ?? false
  }

  mutating func receive(
    _ push: ArrivingPush, on subscriber: Subscriptions.Subscriber, at now: Instant
  ) -> Reaction {
    ask(subscriber.device, at: now) {
      $0.receiveUpdate(push, app: subscriber.app, activity: subscriber.activity, &$1)
    }
  }

  /// The phone is online again: delivers the last message of each channel that stores one.
  mutating func deliverMissed(to device: DeviceID, at now: Instant) {
    for (missed, message) in subscriptions.takeMissed(on: device, at: now) {
      guard let message else {
        discard(missed, at: now)
        continue
      }
      for subscriber in missed.subscribers {
        let fate = receive(message.push, on: subscriber, at: now).fate(fromStorage: true)
        output.append(.broadcastReached(message.push.number, device, fate, at: now))
        if underway.hasOvertaken { overtake(.init(subscriber), at: now) }
      }
    }
  }

  private mutating func discard(_ missed: Subscriptions.Missed, at now: Instant) {
    for subscriber in missed.subscribers {
      output.append(.broadcastReached(missed.push, subscriber.device, missed.fate(at: now), at: now))
    }
  }

  /// A new activity subscribes to its channel, if it has one.
  ///
  /// - Returns: the subscription, if the message that the channel stores is to be delivered to it.
  mutating func subscribe(_ number: UInt32, _ app: Int, on device: DeviceID) -> NewSubscription? {
    guard case .channel(let id)? = fleet.install(device, app: app).activity(number)?.updates else { return nil }
    let channel = Subscriptions.ChannelKey(home: fleet.channelHome(app, on: device), id: id)
    let entry = subscriptions.add(.init(device: device, app: app, activity: number), to: channel)
    guard store.plan.givesNewSubscribersTheLatest, let entry else { return nil }
    return NewSubscription(channel: channel, entry: entry)
  }

  /// Delivers the message that a channel stores to a new subscriber, or keeps it for a phone that is offline.
  mutating func deliverLatest(to new: NewSubscription, at now: Instant) {
    let (subscriber, device) = (new.entry.subscriber, new.entry.subscriber.device)
    guard let message = subscriptions.message(of: new.channel, at: now), isListening(subscriber, at: now) else {
      return
    }
    let push = message.push.number
    if fleet.isOnline(device) {
      let fate = receive(message.push, on: subscriber, at: now).fate(fromStorage: true)
      output.append(.broadcastReached(push, device, fate, at: now))
      return
    }
    // A missed message also reaches the phone's activities that have subscribed since.
    guard !subscriptions.hasMissed(push, of: new.channel, on: device) else { return }
    let missed = Subscriptions.Missed(
      channel: new.channel, push: push, until: message.until, end: new.entry.number + 1, entries: [new.entry])
    if let older = subscriptions.miss(missed, on: device) { discard(older, at: now) }
    output.append(.broadcastReached(push, device, .stored(.offline), at: now))
  }

  mutating func unsubscribe(_ number: UInt32, _ app: Int, on device: DeviceID) {
    subscriptions.remove(.init(device: device, app: app, activity: number))
  }
}
