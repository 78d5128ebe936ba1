import APNs
import Devices
import Reporting
import Timeline

/// Operations of phones, and the processing of their effects.
extension DeviceState {
  /// The index of a phone, which is stored and whose running activities are watched from now on.
  mutating func touch(_ device: DeviceID) -> Int {
    let place = fleet.touch(device)
    if fleet.hasRunningActivities, !fleet.phones[place].isWatched { watchRunning(on: device, at: place) }
    return place
  }

  private mutating func watchRunning(on device: DeviceID, at place: Int) {
    fleet.phones[place].isWatched = true
    for app in fleet.plan.apps.indices {
      for (number, expiry) in fleet.phones[place].runningActivities(app) {
        schedule.add(.phone(device, .activityRunsOut(app: app, number)), due: expiry)
      }
    }
  }

  /// Calls an operation of a phone and processes its effects.
  @discardableResult
  mutating func ask<Result>(
    _ device: DeviceID, at now: Instant, _ act: (inout Phone, inout PhoneTurn) -> Result
  ) -> Result {
    let place = touch(device)
    beginTurn(of: device, at: now)
    let result = act(&fleet.phones[place], &turn)
    if !turn.effects.items.isEmpty { takeEffects(of: device) }
    reclaimMemory(for: device, at: place, now: now)
    return result
  }

  /// Performs scheduled work.
  mutating func perform(_ work: Schedule.Work, at due: Instant) {
    switch work {
    case .phone(let device, let work):
      ask(device, at: due) { $0.perform(work, &$1) }
      // At its last instant, an activity may end without an event.
      if case .activityRunsOut(let app, let number) = work { unsubscribe(number, app, on: device) }
    case .expiryCheck(let device, let number): expire(device, check: number, at: due)
    case .callLeaves(let number): reports.launch(number, at: due, &output)
    case .opensFirst(let device, let app):
      openFirst(AppContext(app: app, device: device, now: due))
    case .firstWork(let index): scheduleFirst(index)
    case .visitEnds(let device, let app, let locks, let darkens, let quits):
      let visit = AppVisit(locks: locks, darkens: darkens, quits: quits)
      end(visit, AppContext(app: app, device: device, now: due))
    case .staleCheck(let device, let app):
      checkAgain(AppContext(app: app, device: device, now: due))
    case .arrival(_, let number): arrive(number, at: due)
    case .wire, .faultBegins, .faultEnds, .idleCheck: break
    }
  }

  /// Turns a phone's effects into events.
  mutating func takeEffects(of device: DeviceID) {
    // The apps' reactions may have effects of their own, so they run after all of these events are appended.
    var emitted: [(DeviceEvent, app: Int?, at: Instant)] = []
    var tap: (notification: UInt32, AppContext)?
    var subscribed: [(NewSubscription, at: Instant)] = []
    // Taken out one by one: a copy of an effect costs more than its event.
    if turn.effects.items.count > 1 { turn.effects.items.reverse() }
    while let item = turn.effects.items.popLast() {
      switch item {
      case .happened(let deviceEvent, let app, let at):
        output.append(.phone(device, app: app, deviceEvent, at: at))
        if reports.isOn { emitted.append((deviceEvent, app, at)) }
        switch deviceEvent {
        case .activityStarted(let number, _), .activityScheduled(let number):
          if let app, let new = subscribe(number, app, on: device) { subscribed.append((new, at)) }
        case .activityEnded(let number, _): if let app { unsubscribe(number, app, on: device) }
        case .notificationTapped(let number):
          if let app { tap = (number, AppContext(app: app, device: device, now: at)) }
        default: break
        }
      case .settled(let push, let reaction, let held, let at):
        let (number, isCopy) = ArrivingPush.number(of: push)
        guard !isCopy else {
          // The deferred copy has no fate of its own.
          let push = BroadcastNumber.isBroadcast(number) ? nil : number
          output.append(.phone(device, app: nil, .pushArrivedAgain(push, reaction.kind), at: at))
          continue
        }
        let fate = held.isByAPNs ? reaction.fateAfterPowerStorage : reaction.fate()
        output.append(.pushSettled(number: number, device, fate, at: at))
      case .due(let work, let due): schedule.add(.phone(device, work), due: due)
      }
    }
    for (deviceEvent, app, at) in emitted { handle(deviceEvent, app: app, on: device, at: at) }
    for (new, at) in subscribed { deliverLatest(to: new, at: at) }
    guard let (number, moment) = tap else { return }
    // An app that the tap launches gets it once it runs.
    report(.notificationTapped, about: .notification(number), in: moment)
    fleet.change(device) { $0.forgetTappedNotification(moment.app) }
  }

  /// Begins a call of a phone, whose person behaves as the faults about questions say.
  mutating func beginTurn(of device: DeviceID, at now: Instant) {
    // Asked only if there are such faults, because the call copies the fleet.
    turn.begin(prompts.isEmpty ? fleet.model : prompts.model(of: device, in: fleet), at: now)
  }

  /// A phone uses more memory than before: frees some of its 256th of the fleet.
  mutating func reclaimMemory(for device: DeviceID, at place: Int, now: Instant) {
    let part = device.partition
    var excess = memory.charge(fleet.phones[place].takeGrowth(), to: part)
    var looks = 0
    while excess > 0, looks < MemoryBudget.looksPerPush,
      let other = memory.next(of: part, devices: fleet.plan.devices)
    {
      looks += 1
      guard let place = fleet.place(other) else { continue }
      turn.begin(fleet.model, at: now)
      fleet.phones[place].evictContent(atLeast: excess, &turn)
      excess = memory.free(-fleet.phones[place].takeGrowth(), of: part)
      if !turn.effects.items.isEmpty { takeEffects(of: other) }
    }
  }
}
