import APNs
import Devices
import Timeline
import WireFormats

/// Effects of faults on connections.
extension World {
  /// Carries out a fault on a connection.
  ///
  /// - Parameter stream: number of the current push's stream; 0 if the strike was not triggered by a push.
  mutating func strike(
    _ connection: ProviderConnectionID, with consequence: ConnectionFault, of fault: Fault, stream: Int32,
    at now: Instant
  ) -> ConnectionStrike.TriggeringPush {
    guard let index = connections.index(of: connection) else { return .served }
    let strike = consequence.kind.strike(stream: stream)
    send(strike.commands, to: connection)
    if let last = strike.lastStream { connections[index].lastStream = last }
    if let (command, after) = strike.later {
      delay(.command(command), on: connection, of: index, until: now.advanced(by: after))
    }
    if let effect = strike.lasting {
      let (commands, isNew) = connections[index].changeFaults { $0.begin(effect, of: fault) }
      send(commands, to: connection)
      if isNew, let sequel = effect.sequel {
        let number = delay(.ending, on: connection, of: index, until: now.advanced(by: sequel.after))
        connections[index].changeFaults { $0.schedule(ending: number, of: fault) }
      }
    }
    return strike.push
  }

  private mutating func send(_ commands: [WireCommand], to connection: ProviderConnectionID) {
    for command in commands { output.append(.wire(connection, command)) }
  }

  // MARK: - Delayed commands

  /// - Parameter device: the device of the push that is answered.
  /// - Returns: number of the delayed command.
  @discardableResult
  mutating func delay(
    _ delayed: DelayedCommands.Delayed, on connection: ProviderConnectionID, of index: Connections.Index,
    until due: Instant, device: DeviceID? = nil
  ) -> UInt64 {
    let number = connections.delay(delayed, at: index)
    schedule.add(.wire(connection, number), of: device, due: min(due, WorldClock.end))
    return number
  }

  /// A delayed command is due.
  mutating func release(_ number: UInt64, on connection: ProviderConnectionID, at now: Instant) {
    guard let index = connections.index(of: connection), let delayed = connections.takeDelayed(number, at: index) else {
      return
    }
    if case .ending = delayed {
      send(connections[index].changeFaults { $0.end(number) }, to: connection)
    } else {
      send(delayed, to: connection, at: now)
    }
  }

  /// Sends a delayed command or answer.
  mutating func send(_ delayed: DelayedCommands.Delayed, to connection: ProviderConnectionID, at now: Instant) {
    switch delayed {
    case .command(let command): output.append(.wire(connection, command))
    case .answer(let command, let push):
      output.append(.wire(connection, command))
      if let push, case .respond(_, let response) = command {
        output.append(.answerSent(push: push, .answer(status: response.status), at: now))
      }
    case .ending: break
    }
  }

  /// Sends the commands that revert what faults have changed on connections.
  mutating func send(_ reverted: Connections.Reverted) {
    schedule.countObsolete(reverted.dropped)
    for (connection, command) in reverted.commands { output.append(.wire(connection, command)) }
  }

  // MARK: - Connections without a push

  /// A connection for pushes was opened.
  mutating func strike(opening connection: ProviderConnectionID, to environment: Environment, at now: Instant) {
    if faults.strikesIdle { waitForIdleTime(of: connection, since: now) }
    guard faults.strikesOpening, let fault = faults.strike(opening: connection, to: environment, at: now),
      case .connection(let consequence) = fault.consequence
    else { return }
    output.append(.connectionStruck(fault.label, connection, at: now))
    _ = strike(connection, with: consequence, of: fault, stream: 0, at: now)
  }

  /// A push has arrived while a fault waits for idle connections.
  mutating func endIdleTime(of connection: ProviderConnectionID, at index: Connections.Index, now: Instant) {
    guard connections[index].faults.idle != nil else { return }
    let hasStruck = connections[index].changeFaults { faults in
      defer { faults.idle?.since = now }
      let hasStruck = faults.idle?.struck.isEmpty == false
      if hasStruck { faults.idle?.struck = [] }
      return hasStruck
    }
    if hasStruck { planIdleCheck(of: connection, at: index, now: now) }
  }

  /// A fault that waits for idle connections was set: the idle time of open connections starts now, unless the time of
  /// their last push is known.
  mutating func waitForIdleTimes(by name: String, at now: Instant) {
    for connection in openConnections where !managesChannels(connection.id) {
      guard let index = connections.index(of: connection.id) else { continue }
      connections[index].changeFaults { if $0.idle == nil { $0.idle = .init(since: now) } }
      checkIdleTime(of: connection.id, by: name, at: now)
    }
  }

  private mutating func waitForIdleTime(of connection: ProviderConnectionID, since now: Instant) {
    guard let index = connections.index(of: connection) else { return }
    connections[index].changeFaults { $0.idle = .init(since: now) }
    planIdleCheck(of: connection, at: index, now: now)
  }

  /// A fault was removed.
  mutating func forgetIdleStrikes(of fault: ActiveFault) {
    guard fault.fault.condition.idleTime != nil else { return }
    schedule.countObsolete(connections.forgetIdleStrikes(fault.serial, isLast: !faults.strikesIdle))
  }

  /// The check of an idle time is due, unless another one has been scheduled since.
  mutating func performIdleCheck(of connection: ProviderConnectionID, due: Instant) {
    guard let index = connections.index(of: connection), connections[index].faults.idle?.nextCheck == due else {
      return
    }
    connections[index].changeFaults { $0.idle?.nextCheck = nil }
    checkIdleTime(of: connection, at: due)
  }

  /// Strikes a connection with those of the faults for which it has been idle long enough, and schedules the next check
  /// for them.
  ///
  /// - Parameter name: the only fault that is checked; nil for all.
  private mutating func checkIdleTime(of connection: ProviderConnectionID, by name: String? = nil, at now: Instant) {
    guard let index = connections.index(of: connection), var idle = connections[index].faults.idle else { return }
    let struck = faults.strike(idle: connection, to: connections[index].environment, &idle, by: name, at: now)
    connections[index].changeFaults { $0.idle = idle }
    for fault in struck {
      guard case .connection(let consequence) = fault.consequence else { continue }
      output.append(.connectionStruck(fault.label, connection, at: now))
      _ = strike(connection, with: consequence, of: fault, stream: connections[index].latestStream, at: now)
    }
    planIdleCheck(of: connection, at: index, by: name, now: now)
  }

  /// Schedules the next check of an idle time for some faults, unless one is scheduled that is not later.
  private mutating func planIdleCheck(
    of connection: ProviderConnectionID, at index: Connections.Index, by name: String? = nil, now: Instant
  ) {
    let environment = connections[index].environment
    guard let idle = connections[index].faults.idle,
      let next = faults.nextIdleCheck(of: connection, to: environment, idle, by: name, at: now),
      idle.nextCheck.map({ next < $0 }) ?? true
    else { return }
    if idle.nextCheck != nil { schedule.countObsolete(1) }
    let due = schedule.add(.idleCheck(connection), due: next)
    connections[index].changeFaults { $0.idle?.nextCheck = due }
  }
}
