import APNs
import Devices
import Timeline
import WireFormats

extension World {
  /// Carries an accepted push to its device.
  @inline(__always)
  mutating func deliver(_ accepted: AcceptedPush, number: UInt64, at now: Instant) -> Fate {
    let (push, address) = (accepted.examined, accepted.address)
    let arriving = ArrivingPush(
      number: number, request: push.request, priority: push.priority, type: push.type,
      collapseID: push.collapseIDRange, shared: accepted.activity)
    // A push that does not reach the phone tells APNs nothing about it either.
    guard fleet.isOnline(address.device) else {
      return keep(arriving, for: address, expiration: push.expiration, at: now)
    }
    if accepted.request.isLingering { return discard(address, at: now) }
    return Self.fate(of: react(arriving, address, at: now))
  }

  /// A token that is dead on the phone: APNs learns it from the first push that gets there.
  private mutating func discard(_ address: Address, at now: Instant) -> Fate {
    if !address.slot.isActivity, fleet.awaitsNotice(address, at: now) {
      // It sets the fuzzy delay going after which APNs says so.
      let notice = fleet.drawNotice(address, at: now)
      fleet.change(address.device) { phone in
        phone.installs[address.app].change(address.slot) { $0.noticeLater(address.generation, at: notice) }
      }
    }
    let install = fleet.install(address.device, app: address.app)
    guard install.isInstalled else { return .discarded(.appAbsent) }
    let isOver = address.slot.isActivity && install.state(of: address.slot)?.generation == address.generation
    return .discarded(isOver ? .activityOver : .orphanToken)
  }

  /// What the phone makes of a push that has reached it.
  private mutating func react(_ push: ArrivingPush, _ address: Address, at now: Instant) -> Reaction {
    let place = touch(address.device)
    let model = model(of: address.device)
    let reaction: Reaction
    switch address.slot {
    case .app: reaction = fleet.phones[place].receive(push, app: address.app, model, at: now, &news)
    case .service(let suffix):
      reaction = fleet.phones[place].receive(push, of: suffix, app: address.app, model, at: now, &news)
    case .pushToStart(let type):
      reaction = fleet.phones[place].receiveStart(push, app: address.app, type: type, model, at: now, &news)
    case .update(let number):
      reaction = fleet.phones[place].receiveUpdate(push, app: address.app, activity: number, model, at: now, &news)
    }
    if !news.items.isEmpty { takeNews(of: address.device) }
    return reaction
  }

  static func fate(of reaction: Reaction, fromStorage: Bool = false) -> Fate {
    switch reaction {
    case .held(let why, let until) where why.isByAPNs: .stored(.power(until: until))
    case .dropped(.coalesced, _): .discarded(.coalesced)
    case .background(.discarded(.expired)): .discarded(.expired)
    default: fromStorage ? .deliveredFromStorage(reaction) : .delivered(reaction)
    }
  }

  // MARK: - Storage

  private mutating func keep(
    _ push: ArrivingPush, for address: Address, expiration: Instant?, at now: Instant
  ) -> Fate {
    // Documented: 0 means one attempt; what has expired already has had its own.
    if let expiration, expiration <= now {
      return .discarded(expiration.nanoseconds == 0 ? .notStored : .expired)
    }
    let kept = store.keep(push, for: address, expiration: expiration, at: now)
    guard kept.isStored else { return .discarded(.storeFull) }
    for (old, why) in kept.given {
      events.append(.pushSettled(number: old.push.number, address.device, .discarded(why), at: now))
    }
    if let look = kept.look { plan(.storeLooks(address.device), due: look) }
    if kept.replacesLook { agendaHasStale(1) }
    return .stored(.offline)
  }

  mutating func expire(_ device: DeviceID, at due: Instant) {
    let (expired, look) = store.takeExpired(for: device, by: due)
    for old in expired {
      events.append(.pushSettled(number: old.push.number, device, .discarded(.expired), at: due))
    }
    if let look { plan(.storeLooks(device), due: look) }
  }

  /// The phone is back: what is kept for it arrives in the order in which it was sent.
  mutating func deliverStored(to device: DeviceID, at now: Instant) {
    for stored in store.takeAll(for: device) {
      let address = stored.address
      let fate: Fate
      if stored.expires <= now {
        fate = .discarded(.expired)
      } else {
        switch fleet.standing(address, at: now) {
        case .live: fate = Self.fate(of: react(stored.push, address, at: now), fromStorage: true)
        case .lingering, .expired, .unregistered, .unknown: fate = discard(address, at: now)
        }
      }
      events.append(.pushSettled(number: stored.push.number, device, fate, at: now))
    }
  }

  // MARK: - Phones

  /// The place of a phone, and its running activities watched from then on.
  mutating func touch(_ device: DeviceID) -> Int {
    let place = fleet.touch(device)
    if fleet.hasRunningActivities, !fleet.phones[place].isWatched { watchRunning(on: device, at: place) }
    return place
  }

  private mutating func watchRunning(on device: DeviceID, at place: Int) {
    fleet.phones[place].isWatched = true
    for app in fleet.plan.apps.indices {
      for (number, expiry) in fleet.phones[place].runningActivities(app) {
        plan(.phone(device, .activityRunsOut(app: app, number)), due: expiry)
      }
    }
  }

  mutating func perform(_ work: PhoneWork, on device: DeviceID, at due: Instant) {
    let place = touch(device)
    let model = model(of: device)
    fleet.phones[place].perform(work, model, at: due, &news)
    if !news.items.isEmpty { takeNews(of: device) }
  }

  /// Makes events of what a phone has said.
  mutating func takeNews(of device: DeviceID) {
    // What apps do about it may make news of its own, so it comes when all of this has been told.
    var heard: [(Happening, app: Int?, at: Instant)] = []
    for item in news.items {
      switch item {
      case .happened(let happening, let app, let at):
        events.append(.phone(device, app: app, happening, at: at))
        if reports.isOn { heard.append((happening, app, at)) }
        switch happening {
        case .activityStarted(let number, _), .activityScheduled(let number):
          if let app { subscribe(number, app, on: device, at: at) }
        default: break
        }
      case .settled(let push, let reaction, let held, let at):
        let fate = Self.fate(of: reaction, fromStorage: held.isByAPNs)
        events.append(.pushSettled(number: push, device, fate, at: at))
      case .due(let work, let due): plan(.phone(device, work), due: due)
      }
    }
    news.items.removeAll(keepingCapacity: true)
    for (happening, app, at) in heard { hear(happening, app: app, on: device, at: at) }
  }
}
