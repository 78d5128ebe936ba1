import APNs
import Devices
import Timeline
import WireFormats

/// The life of a fault: it is set, comes into force, strikes pushes, is removed.
extension World {
  /// True if a fault delays something that is sent to a provider.
  package var holdsAnswers: Bool { connections.waitingCommands > 0 }

  /// The push on a stream whose answer a fault delays.
  package func heldAnswer(on stream: StreamID) -> UInt64? {
    guard holdsAnswers else { return nil }
    return connections[stream.connection]?.faults.delayed.push(on: stream.number)
  }

  /// The effect of a fault on a push. An object, because few pushes have one, and an optional value of its size would
  /// be copied for all others.
  final class PushStrike {
    /// Label of the fault.
    let fault: String
    let fate: Fate
    let rejection: Rejection?
    /// The first thing sent if the fault changes the answer; nil if the answer is sent as decided.
    let sent: SentAnswer?
    /// The change of the answer, if it is sent.
    let alteration: AnswerAlteration?

    init(
      fault: String, fate: Fate, rejection: Rejection? = nil, sent: SentAnswer? = nil,
      alteration: AnswerAlteration? = nil
    ) {
      self.fault = fault
      self.fate = fate
      self.rejection = rejection
      self.sent = sent
      self.alteration = alteration
    }
  }

  /// Finds a fault that strikes a push, and carries it out. Nil if no fault strikes.
  mutating func strike(
    _ accepted: borrowing ReceivedPush, activity: ParsedActivityUpdate?, request: AcceptedPush,
    on stream: StreamID, of index: Connections.Index, at now: Now
  ) -> PushStrike? {
    let address = request.address
    let os = faults.needsOS ? deviceState.fleet.os(of: address.device) : nil
    var subject = AcceptedPushSubject(accepted, activity?.event, to: address, on: stream.connection, os: os)
    if !connections[index].isFaultFree {
      for rejecting in connections[index].faults.conditions.rejecting
      where rejecting.matcher?.matches(&subject) ?? true {
        return PushStrike(
          fault: rejecting.fault, fate: .refused, rejection: Rejection(rejecting.reason, by: nil))
      }
    }
    let isUnderway = faults.strikesArrivals && deviceState.fleet.isOnline(address.device)
    guard faults.strikesPushes,
      let index = faults.strike(&subject, at: address, isUnderway: isUnderway, at: now.world)
    else { return nil }
    let fault = faults.fault(at: index)
    output.append(.faultStruck(fault.label, address.device, at: now.world))
    switch fault.consequence {
    case .push(let consequence):
      let effect = consequence.kind.effect(on: stream, at: now.world, faults.delays)
      let fate =
        effect.isDelivered
        ? deliver(accepted, activity: activity, request: request, arriving: effect.arrival, at: now.world)
        : effect.fateIfLost
      if let command = effect.command { output.append(.wire(stream.connection, command)) }
      return PushStrike(
        fault: fault.label, fate: fate, rejection: effect.rejection, sent: effect.sent, alteration: effect.alteration)
    case .connection(let consequence):
      switch strike(stream.connection, with: consequence, of: fault, stream: stream.number, at: now.world) {
      case .served:
        return PushStrike(
          fault: fault.label, fate: deliver(accepted, activity: activity, request: request, at: now.world))
      case .lost(let cause):
        return PushStrike(fault: fault.label, fate: .discarded(.byFault), sent: .nothing(cause))
      case .refused(let reason):
        return PushStrike(fault: fault.label, fate: .refused, rejection: Rejection(reason, by: nil))
      }
    case .devices, .prompts, .reports, .listener: return nil
    }
  }

  /// Sends an answer that a fault has changed.
  ///
  /// - Parameter push: nil for a request about channels.
  mutating func send(
    _ alteration: AnswerAlteration, of answer: HTTPResponse, on stream: StreamID, of index: Connections.Index,
    to push: PushRecord? = nil, at now: Instant
  ) {
    let command = alteration.command(on: stream.number, answer)
    guard let wait = alteration.wait, wait > .zero else {
      output.append(.wire(stream.connection, command))
      return
    }
    delay(
      .answer(command, to: push?.sequence), on: stream.connection, of: index, until: now.advanced(by: wait),
      device: push?.address?.device)
  }

  // MARK: - Orders

  /// Sets a fault, replacing one with the same name.
  mutating func set(_ fault: Fault, at now: Instant) throws(CommandProblem) {
    guard faults.active.count < FaultRegistry.most || faults[fault.name] != nil else {
      throw CommandProblem(
        .impossible, field: "name", sentence: "No more than \(FaultRegistry.most) faults can be set at once.")
    }
    if case .devices = fault.consequence, !waves.acceptsActions {
      throw CommandProblem(
        .impossible, field: "then",
        sentence: "\(Waves.most) actions of faults are on their way to devices; wait until one is done.")
    }
    let old = faults[fault.name]
    if let old {
      revert(fault.name, at: now)
      schedule.countObsolete(old.fault.changesAhead(at: now))
    }
    let serial = faults.set(fault)
    if let old { forgetIdleStrikes(of: old) }
    if fault.condition.idleTime != nil { waitForIdleTimes(by: fault.name, at: now) }
    if fault.consequence.lastsUntilRemoved {
      if let from = fault.from, from > now {
        schedule.add(.faultBegins(serial), due: from)
      } else {
        begin(fault.name, at: now)
      }
    }
    if let until = fault.until { schedule.add(.faultEnds(serial), due: max(until, now)) }
  }

  /// A fault that does not strike pushes comes into force.
  mutating func begin(_ name: String?, at now: Instant) {
    guard let name, let active = faults[name], !active.isApplied, active.isScheduled(at: now) else { return }
    faults.setApplied(name, true)
    switch active.fault.consequence {
    case .devices: start(.begin(name, serial: active.serial), at: now)
    case .prompts(let fault): deviceState.prompts.begin(active, fault, instead: fleet.model)
    case .listener(let fault): output.append(.listener(fault, active.fault.condition.filter.environment))
    case .push, .connection, .reports: break
    }
  }

  /// Reverts a fault whose time has ended.
  mutating func end(_ name: String?, at now: Instant) {
    guard let name, let until = faults[name]?.fault.until, until <= now else { return }
    revert(name, at: now)
  }

  /// Reverts the effects of a fault.
  mutating func revert(_ name: String, at now: Instant) {
    guard let active = faults[name] else { return }
    if case .connection = active.fault.consequence { send(connections.revert(name)) }
    guard active.isApplied else { return }
    faults.setApplied(name, false)
    switch active.fault.consequence {
    // Only on devices where it was done: a phone that was offline before stays offline.
    case .devices(_, let heal?): start(.revert(active.done, heal), at: now)
    case .prompts: deviceState.prompts.end(name)
    case .listener:
      // A listener behaves as the remaining faults say.
      output.append(.listener(nil, active.fault.condition.filter.environment))
      for (fault, environment) in faults.listeners { output.append(.listener(fault, environment)) }
    case .devices, .push, .connection, .reports: break
    }
  }

  mutating func deleteFault(_ name: String, at now: Instant) throws(CommandProblem) {
    guard faults[name] != nil else {
      let known = faults.active.map(\.fault).filter { $0.session == nil }.map(\.name)
      throw CommandProblem(
        .unknown, field: "name",
        sentence: known.isEmpty
          ? "No fault is set." : "There is no fault \(name); the faults are \(known.joined(separator: ", ")).")
    }
    revertAndRemove(name, at: now)
  }

  private mutating func revertAndRemove(_ name: String, at now: Instant) {
    revert(name, at: now)
    guard let removed = faults.remove(name) else { return }
    schedule.countObsolete(removed.fault.changesAhead(at: now))
    forgetIdleStrikes(of: removed)
  }

  /// Deletes all faults.
  mutating func deleteAllFaults(at now: Instant) {
    // At once, so that a connection gets one command, not one after each fault. After that, no connection is changed.
    send(connections.revertAll())
    for name in faults.active.map(\.fault.name) { revertAndRemove(name, at: now) }
    // Delayed answers are still sent; scheduled GOAWAYs and the like are dropped.
    schedule.countObsolete(connections.keepDelayedAnswers())
  }

  /// Deletes the faults of one session, and no others.
  mutating func deleteFaults(of session: String, at now: Instant) throws(CommandProblem) {
    for fault in faults.active.map(\.fault) where fault.session == session {
      try deleteFault(fault.name, at: now)
    }
  }
}

extension Fault {
  /// Number of schedule entries for its beginning or end.
  fileprivate func changesAhead(at now: Instant) -> Int {
    let begins = consequence.lastsUntilRemoved && from.map { $0 > now } ?? false
    let ends = until.map { $0 > now } ?? false
    return (begins ? 1 : 0) + (ends ? 1 : 0)
  }
}
