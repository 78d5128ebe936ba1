import APNs
import Devices
import Timeline
import WireFormats

/// How faults come into force, strike pushes and are removed.
extension World {
  /// Whether a fault is delaying an answer that a provider waits for.
  package var holdsAnswers: Bool { !faults.held.isEmpty }

  /// The push on a stream whose answer a fault delays.
  func heldAnswer(on stream: StreamID) -> UInt64? { faults.held.isEmpty ? nil : faults.held.push(on: stream) }

  /// Finds a fault that strikes a push, and carries it out. Nil if no fault strikes.
  mutating func strike(
    _ accepted: borrowing ReceivedPush, _ activity: ParsedActivityUpdate?, _ request: AcceptedPush,
    on stream: StreamID, at now: Now
  ) -> FaultRegistry.Struck? {
    let address = request.address
    let os = faults.asksForOS ? partition.fleet.os(of: address.device) : nil
    var subject = AcceptedPushSubject(accepted, activity?.event, to: address, on: stream.connection, os: os)
    if !faults.sticky.isEmpty, let sticky = faults.sticky(on: stream.connection, &subject) {
      return .init(fault: sticky.label, fate: .refused, rejection: Rejection(sticky.reason, by: nil), sent: nil)
    }
    guard let place = faults.strike(&subject, at: address, at: now.world) else { return nil }
    let fault = faults.armed[place].fault
    output.append(.faultStruck(fault.label, address.device, at: now.world))
    switch fault.consequence {
    case .push(let consequence):
      let course = faults.course(of: consequence, on: stream, at: now.world)
      let fate = course.isDelivered ? deliver(accepted, activity, request, at: now.world) : course.lostFate
      if let order = course.order { output.append(.wire(stream.connection, order)) }
      return .init(fault: fault.label, fate: fate, rejection: course.rejection, sent: course.sent)
    case .connection(let consequence):
      switch strike(stream.connection, with: consequence, of: fault, stream: stream.number, at: now.world) {
      case .served:
        return .init(
          fault: fault.label, fate: deliver(accepted, activity, request, at: now.world), rejection: nil, sent: nil)
      case .lost(let cause):
        return .init(fault: fault.label, fate: .discarded(.byFault), rejection: nil, sent: .nothing(cause))
      case .refused(let reason):
        return .init(fault: fault.label, fate: .refused, rejection: Rejection(reason, by: nil), sent: nil)
      }
    case .devices, .prompts, .reports, .listener: return nil
    }
  }

  /// Sends an answer that a fault has changed.
  mutating func sendApart(_ answer: PushAnswer, to push: PushRecord, at now: Now) {
    guard let apart = faults.takeApart() else { return }
    let order = apart.order(answer.response)
    if let wait = apart.wait, wait > .zero {
      hold(order, on: apart.stream.connection, until: now.world.advanced(by: wait), answering: push)
    } else {
      output.append(.wire(apart.stream.connection, order))
    }
  }

  // MARK: - Orders

  /// Sets a fault, replacing one with the same name.
  mutating func set(_ fault: Fault, at now: Instant) throws(CommandProblem) {
    guard faults.armed.count < FaultRegistry.most || faults[fault.name] != nil else {
      throw CommandProblem(.impossible, "name", "No more than \(FaultRegistry.most) faults can be set at once.")
    }
    let old = faults[fault.name]
    if old != nil { heal(fault.name, at: now) }
    let serial = faults.set(fault)
    // Its entries are obsolete only now: counted before, they would survive a clean-up that forgets their count.
    if let old { partition.countStale(old.fault.changesAhead(at: now), faults) }
    if fault.condition.idle != nil {
      faults.watch(openConnections.filter { !managesChannels($0.id) }, by: fault.name, at: now)
      lookForSilence(at: now)
    }
    if fault.consequence.standsByItself {
      if let from = fault.from, from > now {
        partition.schedule.add(.faultBegins(serial), due: from)
      } else {
        begin(fault.name, at: now)
      }
    }
    if let until = fault.until { partition.schedule.add(.faultEnds(serial), due: max(until, now)) }
  }

  /// A fault that does not strike pushes comes into force.
  mutating func begin(_ name: String?, at now: Instant) {
    guard let name, let armed = faults[name], !armed.isInForce, armed.isOn(at: now) else { return }
    faults.force(name, true)
    switch armed.fault.consequence {
    case .devices: start(DeviceWave(.begin(name, serial: armed.serial), at: now))
    case .prompts(let fault):
      faults.setModel(partition.fleet.model.asking(fault.applied(to: partition.fleet.model.policy.prompt)), of: name)
    case .listener(let fault): output.append(.listener(fault, armed.fault.condition.filter.environment))
    case .push, .connection, .reports: break
    }
  }

  /// Its time has ended.
  mutating func end(_ name: String?, at now: Instant) {
    guard let name, let until = faults[name]?.fault.until, until <= now else { return }
    heal(name, at: now)
  }

  /// Reverts the effects of a fault.
  mutating func heal(_ name: String, at now: Instant) {
    guard let armed = faults[name] else { return }
    let cure = faults.cure(name)
    partition.countStale(cure.dropped, faults)
    for (connection, order) in cure.orders { output.append(.wire(connection, order)) }
    guard armed.isInForce else { return }
    faults.force(name, false)
    switch armed.fault.consequence {
    // Only on devices where it was done: a phone that was offline before stays offline.
    case .devices(_, let heal?): start(DeviceWave(.heal(armed.done, heal), at: now))
    case .prompts: faults.setModel(nil, of: name)
    case .listener:
      // A listener behaves as the remaining faults say.
      output.append(.listener(nil, armed.fault.condition.filter.environment))
      for (fault, environment) in faults.listeners { output.append(.listener(fault, environment)) }
    case .devices, .push, .connection, .reports: break
    }
  }

  mutating func deleteFault(_ name: String, at now: Instant) throws(CommandProblem) {
    guard faults[name] != nil else {
      let known = faults.armed.map(\.fault).filter { $0.session == nil }.map(\.name)
      throw CommandProblem(
        .unknown, "name",
        known.isEmpty
          ? "No fault is set." : "There is no fault \(name); the faults are \(known.joined(separator: ", ")).")
    }
    healAndForget(name, at: now)
  }

  private mutating func healAndForget(_ name: String, at now: Instant) {
    heal(name, at: now)
    if let removed = faults.remove(name) { partition.countStale(removed.fault.changesAhead(at: now), faults) }
  }

  /// Deletes all faults.
  mutating func deleteAllFaults(at now: Instant) {
    for name in faults.armed.map(\.fault.name) { healAndForget(name, at: now) }
    // Delayed answers are still sent; scheduled GOAWAYs and the like are dropped.
    partition.countStale(faults.held.keepAnswers(), faults)
  }

  /// Deletes the faults of one session, and no others.
  mutating func deleteFaults(of session: String, at now: Instant) throws(CommandProblem) {
    for fault in faults.armed.map(\.fault) where fault.session == session {
      try deleteFault(fault.name, at: now)
    }
  }
}

extension Fault {
  /// Number of schedule entries for its beginning or end.
  fileprivate func changesAhead(at now: Instant) -> Int {
    let begins = consequence.standsByItself && from.map { $0 > now } ?? false
    let ends = until.map { $0 > now } ?? false
    return (begins ? 1 : 0) + (ends ? 1 : 0)
  }
}
