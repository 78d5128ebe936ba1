import APNs
import Devices
import Timeline
import WireFormats

/// Delivery and storage of pushes.
extension DeviceState {
  /// Delivers an accepted push to its device, or stores it until it expires.
  @inline(__always)
  mutating func deliver(_ push: ArrivingPush, _ request: AcceptedPush, at now: Instant) -> Fate {
    let address = request.address
    // APNs learns nothing from a push that does not reach the phone.
    guard fleet.isOnline(address.device) else {
      return keep(push, for: address, at: now)
    }
    if let range = underway.acknowledgement { return send(push, to: address, acknowledgedIn: range, at: now) }
    if request.isLingering { return .discarded(discard(address, at: now)) }
    let fate = react(push, address, at: now).fate()
    if underway.hasOvertaken { overtake(.init(address), at: now) }
    return fate
  }

  /// The fate of a push that reaches its phone later than APNs accepted it.
  mutating func fate(ofLate push: ArrivingPush, for address: Address, at now: Instant) -> Fate {
    guard fleet.isOnline(address.device) else { return keep(push, for: address, at: now) }
    switch fleet.status(address, at: now) {
    case .live: return react(push, address, at: now).fate()
    case .lingering, .expired, .unregistered, .unknown, .ofOtherCell: return .discarded(discard(address, at: now))
    }
  }

  /// The token is dead on the phone: APNs learns it from the first push that gets there.
  private mutating func discard(_ address: Address, at now: Instant) -> Fate.Discard {
    if !address.slot.isActivity, fleet.awaitsNotice(address, at: now) {
      // It starts the random delay after which APNs answers 410.
      let notice = fleet.drawNotice(address, at: now)
      fleet.change(address.device) { phone in
        phone.changeToken(of: address.slot, address.app) { $0.noticeLater(address.generation, at: notice) }
      }
    }
    let install = fleet.install(address.device, app: address.app)
    guard install.isInstalled else { return .appAbsent }
    guard let state = install.state(of: address.slot), state.generation == address.generation else {
      return .orphanToken
    }
    return address.slot.isActivity ? .activityOver : state.isStale ? .deadStartToken : .orphanToken
  }

  /// The phone's reaction to a push that has reached it.
  mutating func react(_ push: ArrivingPush, _ address: Address, at now: Instant) -> Reaction {
    let place = touch(address.device)
    beginTurn(of: address.device, at: now)
    let reaction: Reaction
    switch address.slot {
    case .app: reaction = fleet.phones[place].receive(push, app: address.app, &turn)
    case .service(let suffix):
      reaction = fleet.phones[place].receive(push, of: suffix, app: address.app, &turn)
    case .pushToStart(let type):
      let started = fleet.phones[place].receiveStart(push, app: address.app, type: type, &turn)
      reaction = remarking(started, of: address, at: place)
    case .update(let number):
      reaction = fleet.phones[place].receiveUpdate(push, app: address.app, activity: number, &turn)
    }
    if !turn.effects.items.isEmpty { takeEffects(of: address.device) }
    reclaimMemory(for: address.device, at: place, now: now)
    return reaction
  }

  /// The reaction to a start, with a remark if its channel does not exist. What a phone does then is not documented;
  /// only APNs knows the channels.
  private func remarking(_ reaction: Reaction, of address: Address, at place: Int) -> Reaction {
    guard case .started(let number, let remarks) = reaction,
      case .channel(let id)? = fleet.phones[place].installs[address.app].activity(number)?.updates,
      !subscriptions.channels.contains(.init(home: fleet.channelHome(address.app, on: address.device), id: id))
    else { return reaction }
    return .started(number, remarks.union(.channelUnknown))
  }

  // MARK: - Storage

  /// Stores a push for a phone that is offline, if APNs stores it.
  private mutating func keep(_ push: ArrivingPush, for address: Address, at now: Instant) -> Fate {
    switch store.keep(push, for: address, at: now) {
    case .discarded(let why): return .discarded(why)
    case .stored(let evicted, let check):
      if let (old, why) = evicted {
        output.append(.pushSettled(number: old.push.number, address.device, .discarded(why), at: now))
      }
      if let check { plan(check, for: address.device) }
      return .stored(.offline)
    }
  }

  /// A stored push for a phone may have expired.
  mutating func expire(_ device: DeviceID, check: UInt64, at due: Instant) {
    let (expired, next) = store.takeExpired(for: device, at: check, by: due)
    for old in expired {
      output.append(.pushSettled(number: old.push.number, device, .discarded(.expired), at: due))
    }
    if let next { plan(next, for: device) }
  }

  private mutating func plan(_ check: PushStore.ExpiryCheck, for device: DeviceID) {
    schedule.add(.expiryCheck(device, number: check.number), due: check.due)
    if check.makesObsolete { schedule.countObsolete(1) }
  }

  /// The phone is online again: stored pushes are delivered in the order in which they were sent.
  mutating func deliverStored(to device: DeviceID, at now: Instant) {
    for stored in store.takeAll(for: device) {
      let address = stored.address
      let fate: Fate
      if stored.expires <= now {
        fate = .discarded(.expired)
      } else {
        switch fleet.status(address, at: now) {
        case .live: fate = react(stored.push, address, at: now).fate(fromStorage: true)
        case .lingering, .expired, .unregistered, .unknown, .ofOtherCell:
          fate = .discardedFromStorage(discard(address, at: now))
        }
      }
      output.append(.pushSettled(number: stored.push.number, device, fate, at: now))
      if underway.hasOvertaken { overtake(.init(address), at: now) }
    }
  }
}

extension Reaction {
  /// The fate of a push with this reaction.
  func fate(fromStorage: Bool = false) -> Fate {
    switch self {
    case .held(let why, let until) where why.isByAPNs: .stored(.power(why, until: until))
    case .dropped(.coalesced, _): .discarded(.coalesced)
    case .dropped(.expired, _), .background(.discarded(.expired)): .discarded(.expired)
    case .dropped(.notStored, _), .background(.discarded(.notStored)): .discarded(.notStored)
    case .background(.discarded(.superseded)): .discarded(.replaced)
    default: fromStorage ? .deliveredFromStorage(self) : .delivered(self)
    }
  }

  /// The fate of a push that APNs has kept for the phone's power.
  var fateAfterPowerStorage: Fate {
    switch self {
    case .dropped(.appAbsent, _): .discardedFromStorage(.appAbsent)
    case .dropped(.activityNotActive, _): .discardedFromStorage(.activityOver)
    default: fate(fromStorage: true)
    }
  }
}
