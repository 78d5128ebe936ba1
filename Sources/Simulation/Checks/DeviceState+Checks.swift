#if PUSHPIT_CHECKS
  import APNs
  import Devices
  import Timeline

  /// Indices and counts of what belongs to devices agree, and budgets are charged what is held.
  extension DeviceState {
    func problems(at now: Instant) -> [String] {
      fleet.problems + memoryProblems + store.problems(schedule, fleet, at: now)
        + subscriptions.problems(fleet, at: now) + subscriptionProblems(at: now) + callProblems
        + underway.problems(schedule)
    }

    private var memoryProblems: [String] {
      var found: [String] = []
      var charged = [Int](repeating: 0, count: MemoryBudget.parts)
      for phone in fleet.phones {
        if phone.memory != phone.summedMemory {
          found.append("\(phone.id.text) holds \(phone.summedMemory) bytes, counted \(phone.memory).")
        }
        charged[Int(phone.id.partition)] += phone.chargedMemory
        if phone.chargedMemory != phone.memory {
          found.append("\(phone.id.text) is charged \(phone.chargedMemory) bytes and holds \(phone.memory).")
        }
      }
      for (part, sum) in charged.enumerated() where memory.list[part].charged != sum {
        found.append("Part \(part) of the memory budget is charged \(memory.list[part].charged), its phones \(sum).")
      }
      return found
    }

    /// An activity that runs and subscribes to a channel is in its list.
    private func subscriptionProblems(at now: Instant) -> [String] {
      var found: [String] = []
      for phone in fleet.phones {
        let known = subscriptions.subscribers(on: phone.id)
        for (app, install) in phone.installs.enumerated() {
          for activity in install.activities where !activity.isOver(at: max(now, fleet.began)) {
            guard case .channel(let id) = activity.updates,
              !known.contains(.init(device: phone.id, app: app, activity: activity.number))
            else { continue }
            found.append("Activity \(activity.number) on \(phone.id.text) is no subscriber of its channel \(id).")
          }
        }
      }
      return found
    }

    private var callProblems: [String] {
      var found: [String] = []
      let left = reports.calls.list.values.count { $0.hasLeft }
      if left != reports.calls.onWire {
        found.append("\(left) calls of apps are on the wire, counted \(reports.calls.onWire).")
      }
      let planned = Set(
        schedule.agenda.heap.compactMap { entry in
          if case .callLeaves(let number) = entry.work { number } else { nil }
        })
      for (number, call) in reports.calls.list where !call.hasLeft && !planned.contains(number) {
        found.append("Call \(number) of \(call.device.text) waits, and is not scheduled.")
      }
      for number in reports.calls.list.keys where number > reports.calls.count {
        found.append("Call \(number) is open, and there were \(reports.calls.count).")
      }
      return found
    }
  }

  extension Fleet {
    fileprivate var problems: [String] {
      var found: [String] = []
      var taken = 0
      for (seat, place) in places.enumerated() where place != 0 {
        taken += 1
        guard phones.indices.contains(Int(place) - 1) else {
          found.append("Seat \(seat) has phone \(place) of \(phones.count).")
          continue
        }
        if self.place(phones[Int(place) - 1].id) != Int(place) - 1 {
          found.append("Seat \(seat) has \(phones[Int(place) - 1].id.text), which is elsewhere.")
        }
      }
      if taken != phones.count { found.append("\(taken) seats are taken by \(phones.count) phones.") }
      found += registeredTokens.problems(sealed) {
        install($0.device, app: $0.app).state(of: $0.slot)?.generation
      }
      for phone in phones { found += problems(of: phone) }
      return found
    }

    /// The current token of each slot that a user has registered is there.
    private func problems(of phone: Phone) -> [String] {
      var found: [String] = []
      for (app, install) in phone.installs.enumerated() {
        let slots =
          [TokenSlot.app] + plan.apps[app].services.map { .service($0) }
          + plan.apps[app].types.indices.map { .pushToStart(type: $0) }
          + install.activities.map { .update(activity: $0.number) }
        for slot in slots {
          guard let state = install.state(of: slot), state.isGiven, token(phone.id, app: app, slot: slot) == nil else {
            continue
          }
          found.append("\(phone.id.text) holds a registered token for \(slot) of app \(app), which is nowhere.")
        }
        if Set(install.activities.map(\.number)).count != install.activities.count {
          found.append("\(phone.id.text) has two activities of one number in app \(app).")
        }
      }
      return found
    }
  }

  extension PushStore {
    fileprivate func problems(_ schedule: Schedule, _ fleet: Fleet, at now: Instant) -> [String] {
      var found: [String] = []
      let sum = pushes.values.reduce(0) { $0 + $1.count }
      if sum != count { found.append("\(sum) pushes are stored, counted \(count).") }
      var planned: Set<UInt64> = []
      for entry in schedule.agenda.heap {
        if case .expiryCheck(_, let number) = entry.work { planned.insert(number) }
      }
      for (device, check) in expiryChecks where !planned.contains(check.number) && check.due <= WorldClock.end {
        found.append("Stored pushes of \(device.text) are looked at at \(check.due), which is not scheduled.")
      }
      for (device, stored) in pushes {
        if fleet.isOnline(device) {
          found.append("\(device.text) is online, and \(stored.count) pushes wait for it.")
        }
        guard let first = stored.map(\.expires).min() else {
          found.append("\(device.text) has a place in the store and no push.")
          continue
        }
        if first < now { found.append("A stored push of \(device.text) expired at \(first), now \(now).") }
        if expiryChecks[device].map({ $0.due > first }) ?? true {
          found.append("A stored push of \(device.text) expires at \(first) and is not looked at by then.")
        }
      }
      return found
    }
  }

  extension Subscriptions {
    fileprivate func problems(_ fleet: Fleet, at now: Instant) -> [String] {
      var found: [String] = []
      var (mine, kept): ([ChannelKey: Int], Int) = ([:], 0)
      for (device, listener) in listeners.all {
        if listener.isEmpty { found.append("\(device.text) is listed without subscriptions.") }
        if !listener.missed.isEmpty, fleet.isOnline(device) {
          found.append("\(device.text) is online, and messages wait for it.")
        }
        for (channel, entry) in listener.subscriptions {
          mine[channel, default: 0] += 1
          if entry.subscriber.device != device { found.append("\(device.text) has a subscription of another.") }
          if shelves[channel]?.subscribers.contains(entry) != true {
            found.append("\(device.text) subscribes to \(channel.id), which does not know it.")
          }
          if fleet.isOver(entry.subscriber, at: now) {
            found.append("Activity \(entry.subscriber.activity) on \(device.text) is over and subscribes to a channel.")
          }
        }
      }
      for (channel, shelf) in shelves {
        if shelf.message != nil { kept += 1 }
        let numbers = shelf.subscribers.all.map(\.number)
        if numbers.count != mine[channel] ?? 0 || count(channel) != numbers.count {
          let counted = "counted \(count(channel)), its phones \(mine[channel] ?? 0)"
          found.append("\(channel.id) has \(numbers.count) subscribers, \(counted).")
        }
        if zip(numbers, numbers.dropFirst()).contains(where: { $0 >= $1 }) || numbers.last.map({ $0 >= end }) ?? false {
          found.append("The subscriptions of \(channel.id) are out of order.")
        }
        if shelf.isEmpty { found.append("\(channel.id) is kept without subscriber or message.") }
      }
      if kept != messages { found.append("\(kept) messages are stored, counted \(messages).") }
      return found
    }
  }

  extension Fleet {
    /// True if a Live Activity was over before this instant, whose work may be left.
    fileprivate func isOver(_ subscriber: Subscriptions.Subscriber, at now: Instant) -> Bool {
      guard let activity = install(subscriber.device, app: subscriber.app).activity(subscriber.activity) else {
        return true
      }
      return activity.isOver(at: now) && activity.expiry != now
    }
  }

  extension Waves {
    /// Waves of one lane wait for each other, and each is of something that began.
    func problems(_ subscriptions: Subscriptions, at now: Instant) -> [String] {
      var found: [String] = []
      var lanes: Set<Wave.Lane> = []
      for wave in all {
        if !lanes.insert(wave.lane).inserted, wave.next > 0 { found.append("Wave \(wave.kind) overtakes another.") }
        if wave.began > now { found.append("Wave \(wave.kind) began at \(wave.began), now \(now).") }
        switch wave.kind {
        case .begin: break
        case .revert(let devices, _):
          if wave.next > devices.count { found.append("A revert is at \(wave.next) of \(devices.count) devices.") }
        case .broadcast(let broadcast):
          if wave.next > broadcast.end || broadcast.end > subscriptions.end {
            found.append("A broadcast is at \(wave.next) of \(broadcast.end), of \(subscriptions.end) subscriptions.")
          }
        }
      }
      return found
    }
  }
#endif
