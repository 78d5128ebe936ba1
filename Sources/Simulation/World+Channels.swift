import APNs
import Devices
import Timeline
import WireFormats

/// Broadcast channels: their management, and what is published to them.
extension World {
  /// Broadcasts have numbers of their own, so that those of the ledger follow one another.
  private static let broadcastMark: UInt64 = 1 << 63

  /// A request on a connection that manages channels.
  mutating func manage(
    _ request: HTTPRequest, on stream: StreamID, _ connection: inout ProviderConnection, at now: Now
  ) {
    let verdict = desk.answer(request, on: &connection, through: &gatekeeper, drawing: drawRequestID(stream), at: now)
    if verdict.authorisesConnection { events.append(.streamsAllowed(stream.connection)) }
    note(
      request, stream, verdict.home, verdict.operation, verdict.channelID, verdict.answer, verdict.keyNumber,
      subscribers: 0, at: now)
  }

  /// A request on a connection for pushes whose path is that of a broadcast.
  mutating func publish(
    _ request: HTTPRequest, on stream: StreamID, _ connection: inout ProviderConnection, at now: Now
  ) {
    let verdict = desk.admitBroadcast(request, on: &connection, through: &gatekeeper, at: now)
    if verdict.authorisesConnection { events.append(.streamsAllowed(stream.connection)) }
    var reached = 0
    if case .success(let broadcast) = verdict.outcome { reached = fanOut(broadcast, request, at: now.world) }
    note(
      request, stream, verdict.home, .publish, verdict.channelID, verdict.answer(drawRequestID(stream)),
      verdict.keyNumber, subscribers: reached, at: now)
  }

  private mutating func note(
    _ request: HTTPRequest, _ stream: StreamID, _ home: ChannelHome, _ operation: ChannelOperation?,
    _ channel: ChannelID?, _ answer: ChannelAnswer, _ key: Int?, subscribers: Int, at now: Now
  ) {
    channelRequests += 1
    events.append(
      .channels(
        ChannelRecord(
          number: channelRequests, at: now, stream: stream, home: home, operation: operation, channelID: channel,
          request: request, answer: answer, keyNumber: key, subscribers: subscribers)))
  }

  /// Hands a broadcast to every Live Activity that listens, phone by phone in the order they subscribed.
  private mutating func fanOut(_ broadcast: BroadcastRequest, _ request: HTTPRequest, at now: Instant) -> Int {
    let channel = Subscriptions.Channel(home: broadcast.home, id: broadcast.channel.id.text)
    let push = ArrivingPush(
      number: Self.broadcastMark | (channelRequests + 1), request: request, priority: broadcast.priority,
      type: .liveactivity)
    let storedUntil = broadcast.storedUntil(at: now)
    if let storedUntil { subscriptions.keep(.init(push: push, until: storedUntil), of: channel, at: now) }
    let all = subscriptions.all(channel)
    let current = all.filter { isListening($0, at: now) }
    if current.count < all.count { subscriptions.keep(only: current, of: channel) }
    for subscriber in current {
      guard fleet.isOnline(subscriber.device) else {
        // Documented: what a channel does not store is lost on a phone that is away.
        if storedUntil != nil { subscriptions.miss(channel, on: subscriber.device) }
        let fate: Fate = storedUntil == nil ? .discarded(.notStored) : .stored(.offline)
        events.append(.broadcastReached(push.number, subscriber.device, fate, at: now))
        continue
      }
      reach(subscriber, push, fromStorage: false, at: now)
    }
    return current.count
  }

  private func isListening(_ subscriber: Subscriptions.Subscriber, at now: Instant) -> Bool {
    let install = fleet.install(subscriber.device, app: subscriber.app)
    return install.activity(subscriber.activity).map { !$0.isOver(at: now) } ?? false
  }

  private mutating func reach(
    _ subscriber: Subscriptions.Subscriber, _ push: ArrivingPush, fromStorage: Bool, at now: Instant
  ) {
    let place = touch(subscriber.device)
    let model = model(of: subscriber.device)
    let reaction = fleet.phones[place].receiveUpdate(
      push, app: subscriber.app, activity: subscriber.activity, model, at: now, &news)
    if !news.items.isEmpty { takeNews(of: subscriber.device) }
    let fate = Self.fate(of: reaction, fromStorage: fromStorage)
    events.append(.broadcastReached(push.number, subscriber.device, fate, at: now))
  }

  /// The phone is back: of each channel the last message, where it stores one.
  mutating func deliverMissed(to device: DeviceID, at now: Instant) {
    for (message, subscribers) in subscriptions.takeMissed(on: device, at: now) {
      for subscriber in subscribers { reach(subscriber, message.push, fromStorage: true, at: now) }
    }
  }

  /// An activity that has begun listens to its channel, if it has one.
  mutating func subscribe(_ number: UInt32, _ app: Int, on device: DeviceID, at now: Instant) {
    guard case .channel(let id)? = fleet.install(device, app: app).activity(number)?.updates else { return }
    let home = ChannelHome(fleet.environment(of: device, app: app), fleet.plan.apps[app].bundleID)
    let over = subscriptions.subscribers(on: device).filter { !isListening($0, at: now) }
    if !over.isEmpty { subscriptions.remove(over, on: device) }
    subscriptions.add(.init(device: device, app: app, activity: number), to: .init(home: home, id: id))
  }

  /// Whether there is a channel of that id for an app on a device.
  func hasChannel(_ id: String, _ app: Int, on device: DeviceID) -> Bool {
    guard let id = ChannelID(id) else { return false }
    let home = ChannelHome(fleet.environment(of: device, app: app), fleet.plan.apps[app].bundleID)
    return desk.registry.standing(of: id, in: home).channel != nil
  }

  /// Live Activities that listen to a channel, those over since the last broadcast included.
  package func subscribers(_ channel: Channel, in home: ChannelHome) -> Int {
    subscriptions.count(.init(home: home, id: channel.id.text))
  }

  /// All channels, app by app in the order of the fleet.
  package var channels: [(home: ChannelHome, channel: Channel)] {
    channelHomes.flatMap { home in desk.registry.channels(in: home).map { (home, $0) } }
  }

  /// Where channels can be: each app in each environment.
  package var channelHomes: [ChannelHome] {
    fleet.plan.apps.flatMap { app in Environment.allCases.map { ChannelHome($0, app.bundleID) } }
  }

  package func channelCount(in home: ChannelHome) -> Int { desk.registry.count(in: home) }

  /// The channels of a home in the order they were made.
  package func channels(in home: ChannelHome) -> [Channel] { desk.registry.channels(in: home) }
}
