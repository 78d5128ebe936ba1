import APNs
import Devices
import Timeline
import WireFormats

/// Delivery of broadcasts to the Live Activities of phones.
extension Partition {
  /// Delivers a broadcast to every subscribed Live Activity, phone by phone in the order of subscription.
  ///
  /// - Returns: the number of subscribers.
  mutating func fanOut(
    _ broadcast: BroadcastRequest, _ push: ArrivingPush, at now: Instant, _ faults: inout FaultRegistry,
    _ output: inout EventList
  ) -> Int {
    let channel = Subscriptions.ChannelKey(home: broadcast.home, id: broadcast.channel.id.text)
    let storedUntil = broadcast.storedUntil(at: now)
    if let storedUntil { subscriptions.keep(.init(push: push, until: storedUntil), of: channel, at: now) }
    let all = subscriptions.all(channel)
    let current = all.filter { isListening($0, at: now) }
    if current.count < all.count { subscriptions.keep(only: current, of: channel) }
    for subscriber in current {
      guard fleet.isOnline(subscriber.device) else {
        if let storedUntil {
          let missed = Subscriptions.Missed(channel: channel, push: push.number, until: storedUntil)
          if let older = subscriptions.miss(missed, on: subscriber.device) { discard(older, at: now, &output) }
        }
        // Documented: without storage, the message is lost on a phone that is offline.
        let lost = Fate.discarded(broadcast.isExpired(at: now) ? .expired : .notStored)
        output.append(
          .broadcastReached(push.number, subscriber.device, storedUntil == nil ? lost : .stored(.offline), at: now))
        continue
      }
      let fate = receive(push, on: subscriber, at: now, &faults, &output).fate()
      output.append(.broadcastReached(push.number, subscriber.device, fate, at: now))
    }
    return current.count
  }

  private func isListening(_ subscriber: Subscriptions.Subscriber, at now: Instant) -> Bool {
    let install = fleet.install(subscriber.device, app: subscriber.app)
    return install.activity(subscriber.activity).map { !$0.isOver(at: now) } ?? false
  }

  private mutating func receive(
    _ push: ArrivingPush, on subscriber: Subscriptions.Subscriber, at now: Instant, _ faults: inout FaultRegistry,
    _ output: inout EventList
  ) -> Reaction {
    ask(subscriber.device, at: now, &faults, &output) {
      $0.receiveUpdate(push, app: subscriber.app, activity: subscriber.activity, $1, at: now, &$2)
    }
  }

  /// The phone is online again: delivers the last message of each channel that stores one.
  mutating func deliverMissed(
    to device: DeviceID, at now: Instant, _ faults: inout FaultRegistry, _ output: inout EventList
  ) {
    for (missed, message) in subscriptions.takeMissed(on: device, at: now) {
      guard let message else {
        discard(missed, at: now, &output)
        continue
      }
      for subscriber in missed.subscribers {
        let fate = receive(message.push, on: subscriber, at: now, &faults, &output).fate(fromStorage: true)
        output.append(.broadcastReached(message.push.number, device, fate, at: now))
      }
    }
  }

  private func discard(_ missed: Subscriptions.Missed, at now: Instant, _ output: inout EventList) {
    for subscriber in missed.subscribers {
      output.append(.broadcastReached(missed.push, subscriber.device, missed.fate(at: now), at: now))
    }
  }

  /// A new activity subscribes to its channel, if it has one.
  mutating func subscribe(_ number: UInt32, _ app: Int, on device: DeviceID, at now: Instant) {
    guard case .channel(let id)? = fleet.install(device, app: app).activity(number)?.updates else { return }
    let over = subscriptions.subscribers(on: device).filter { !isListening($0, at: now) }
    if !over.isEmpty { subscriptions.remove(over, on: device) }
    subscriptions.add(
      .init(device: device, app: app, activity: number), to: .init(home: channelHome(app, on: device), id: id))
  }

  /// The owner of the channels that an app on a device can subscribe to.
  func channelHome(_ app: Int, on device: DeviceID) -> ChannelOwner {
    ChannelOwner(fleet.environment(of: device, app: app), fleet.plan.apps[app].bundleID)
  }
}
