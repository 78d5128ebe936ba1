import APNs
import Devices
import Timeline

/// Pushes that faults strike between APNs and phones.
extension DeviceState {
  /// Time after which a push arrives that no other one has overtaken.
  private static let longestOvertaking = Duration.seconds(60)

  /// Sends a push to a phone that is online, on a way that a fault changes.
  mutating func send(
    _ push: ArrivingPush, _ request: AcceptedPush, by arrival: ArrivalFault, at now: Instant
  ) -> Fate {
    let address = request.address
    switch passage(of: .push(push, address), arrival, drawing: push.number, at: now) {
    case .ends(let fate): return fate
    case .direct: return deliver(push, request, at: now)
    case .doubled:
      let fate = deliver(push, request, at: now)
      // Otherwise, nothing has reached the phone.
      guard case .delivered = fate else { return fate }
      var copy = push
      copy.isCopy = true
      let reaction = react(copy, address, at: now)
      output.append(.phone(address.device, app: address.app, .pushArrivedAgain(push.number, reaction.kind), at: now))
      return fate
    }
  }

  /// Sends a push to a phone that takes time to acknowledge it. It overwrites an older one that is not acknowledged.
  mutating func send(
    _ push: ArrivingPush, to address: Address, acknowledgedIn range: ClosedRange<Duration>, at now: Instant
  ) -> Fate {
    let device = address.device
    if let older = underway.overwrite(with: push, to: address) {
      schedule.countObsolete(1)
      output.append(.pushSettled(number: older, device, .discarded(.overwritten), at: now))
    }
    let wait = faults.ways.duration(in: range, subject: UInt64(device.number), count: push.number)
    guard wait > .zero, underway.hasRoom(for: push) else {
      let fate = fate(ofLate: push, for: address, at: now)
      if underway.hasOvertaken { overtake(.init(address), at: now) }
      return fate
    }
    let due = min(now.advanced(by: wait), WorldClock.end)
    schedule.add(.arrival(device, underway.addUnacknowledged(push, to: address)), due: due)
    return .onTheWay(.unacknowledged, until: due)
  }

  /// Sends a copy of a broadcast, if a fault strikes it.
  ///
  /// - Returns: false if none strikes, or the phone is offline.
  mutating func send(
    _ broadcast: Broadcast, as subject: ChannelRequestSubject, to entry: SubscriberList.Entry, at now: Instant
  ) -> Bool {
    let subscriber = entry.subscriber
    let device = subscriber.device
    guard faults.strikesArrivals, fleet.isOnline(device) else { return false }
    var copy = BroadcastCopySubject(subject, to: subscriber, os: faults.needsOS ? fleet.os(of: device) : nil)
    guard let fault = faults.strike(&copy, at: now), let arrival = fault.arrival else { return false }
    output.append(.faultStruck(fault.label, device, at: now))
    switch passage(of: .copy(broadcast, entry), arrival, drawing: broadcast.push.number ^ copy.drawn, at: now) {
    case .ends(let fate): output.append(.broadcastReached(broadcast.push.number, device, fate, at: now))
    case .direct: return false
    case .doubled:
      let fate = receive(broadcast, on: entry, at: now)
      if underway.hasOvertaken { overtake(.init(subscriber), at: now) }
      guard case .delivered = fate else { return true }
      var copy = broadcast.push
      copy.isCopy = true
      let reaction = receive(copy, on: subscriber, at: now)
      output.append(.phone(device, app: subscriber.app, .pushArrivedAgain(nil, reaction.kind), at: now))
    }
    return true
  }

  private enum Passage {
    /// The push is lost, or arrives later.
    case ends(Fate)
    case direct
    case doubled
  }

  /// - Parameter number: the value from which a delay is drawn.
  private mutating func passage(
    of item: PushesUnderway.Item, _ arrival: ArrivalFault, drawing number: UInt64, at now: Instant
  ) -> Passage {
    let device = item.route.device
    switch arrival {
    case .lose: return .ends(.discarded(.lost))
    case .double: return .doubled
    case .overtake:
      guard !underway.isOvertaken(item.route), underway.hasRoom(for: item) else { return .direct }
      return .ends(depart(item, .overtaken, until: now.advanced(by: Self.longestOvertaking)))
    case .delay(let delay):
      let wait = delay.draw(with: faults.ways, subject: UInt64(device.number), count: number)
      guard wait > .zero, underway.hasRoom(for: item) else { return .direct }
      return .ends(depart(item, .late, until: now.advanced(by: wait)))
    }
  }

  private mutating func depart(
    _ item: PushesUnderway.Item, _ why: Fate.Passage, until due: Instant
  ) -> Fate {
    let due = min(due, WorldClock.end)
    let number = underway.add(item, isOvertaken: why == .overtaken)
    schedule.add(.arrival(item.route.device, number), due: due)
    return .onTheWay(why, until: due)
  }

  /// A push that was on its way is due.
  mutating func arrive(_ number: UInt64, at now: Instant) {
    guard let item = underway.take(number) else { return }
    arrive(item, at: now)
    if underway.hasOvertaken { overtake(item.route, at: now) }
  }

  /// Another push of the route has come: if it has reached the phone, the one that it has overtaken follows.
  mutating func overtake(_ route: PushesUnderway.Route, at now: Instant) {
    guard fleet.isOnline(route.device), let item = underway.takeOvertaken(route) else { return }
    schedule.countObsolete(1)
    arrive(item, at: now)
  }

  private mutating func arrive(_ item: PushesUnderway.Item, at now: Instant) {
    switch item {
    case .push(let push, let address):
      let reached = fate(ofLate: push, for: address, at: now)
      output.append(.pushSettled(number: push.number, address.device, reached, at: now))
    case .copy(let broadcast, let entry): receive(broadcast, on: entry, at: now)
    }
  }
}
