#if PUSHPIT_CHECKS
  import APNs
  import Devices
  import Timeline

  /// No effect of a fault is there without its fault, and indices agree with what they are of.
  extension FaultRegistry {
    func problems(
      on connections: Connections, _ schedule: Schedule, _ prompts: PromptBehaviors, at now: Instant
    ) -> [String] {
      indexProblems + promptProblems(prompts) + connectionProblems(connections, schedule, at: now)
        + timeProblems(schedule, at: now)
    }

    /// The lists of places are those that the faults themselves give.
    private var indexProblems: [String] {
      var found: [String] = []
      for (kind, places) in indices {
        let right = active.indices.filter { active[$0].fault.strikes(kind) }
        if places != right { found.append("The index of faults that strike \(kind) is \(places), not \(right).") }
      }
      if Set(active.map(\.fault.name)).count != active.count { found.append("Two faults have the same name.") }
      return found
    }

    private func promptProblems(_ prompts: PromptBehaviors) -> [String] {
      prompts.names.filter { self[$0]?.isApplied != true }.map {
        "Questions are asked as the fault \($0) says, which is not in force."
      }
    }

    /// A connection is changed only by faults that are set.
    private func lastingProblems(_ state: ConnectionState, at now: Instant) -> [String] {
      var found: [String] = []
      let there = "Connection \(state.id.number)"
      for lasting in state.faults.lasting {
        let name = lasting.fault.name
        if let fault = self[name]?.fault {
          if let until = fault.until, until < now {
            found.append("\(there) is changed by the fault \(name), which was over at \(until), now \(now).")
          }
        } else {
          found.append("\(there) is changed by the fault \(name), which is not set.")
        }
        if let number = lasting.ending, state.faults.delayed.list[number] == nil {
          found.append("\(there) is changed by the fault \(name), whose end is not scheduled.")
        }
      }
      return found
    }

    private func idleProblems(
      _ state: ConnectionState, _ connections: Connections, at now: Instant
    ) -> [String] {
      let connection = state.id
      let waits = strikesIdle && !connections.managesChannels(connection)
      guard let idle = state.faults.idle else {
        return waits ? ["The idle time of connection \(connection.number) is not kept."] : []
      }
      guard waits else { return ["The idle time of connection \(connection.number) is kept for nothing."] }
      guard let next = nextIdleCheck(of: connection, to: state.environment, idle, at: now) else {
        return []
      }
      if next <= WorldClock.end, idle.nextCheck.map({ $0 > next }) ?? true {
        let planned = idle.nextCheck.map { "\($0)" } ?? "never"
        return ["The idle time of connection \(connection.number) ends at \(next), and is checked at \(planned)."]
      }
      return []
    }

    private func connectionProblems(_ connections: Connections, _ schedule: Schedule, at now: Instant) -> [String] {
      var found: [String] = []
      var scheduled: Set<UInt64> = []
      for entry in schedule.agenda.heap { if case .wire(_, let number) = entry.work { scheduled.insert(number) } }
      for state in connections.states.sorted(by: { $0.id.number < $1.id.number }) {
        found += lastingProblems(state, at: now) + idleProblems(state, connections, at: now)
        for (number, delayed) in state.faults.delayed.list.sorted(by: { $0.key < $1.key })
        where !scheduled.contains(number) {
          found.append("The delayed command \(number) is not scheduled: \(delayed).")
        }
      }
      let waiting = connections.states.reduce(0) { $0 + $1.faults.delayed.list.count }
      if waiting != connections.waitingCommands {
        found.append("\(waiting) delayed commands wait, counted \(connections.waitingCommands).")
      }
      return found
    }

    /// Faults that begin or end with time and are not scheduled, or not over when their time is over.
    private func timeProblems(_ schedule: Schedule, at now: Instant) -> [String] {
      var found: [String] = []
      var (begins, ends): (Set<UInt64>, Set<UInt64>) = ([], [])
      for entry in schedule.agenda.heap {
        if case .faultBegins(let serial) = entry.work { begins.insert(serial) }
        if case .faultEnds(let serial) = entry.work { ends.insert(serial) }
      }
      for active in active {
        let fault = active.fault
        if let from = fault.from, from > now, from <= WorldClock.end, now > .distantPast,
          fault.consequence.lastsUntilRemoved
        {
          if !begins.contains(active.serial) {
            found.append("The beginning of the fault \(fault.name) is not scheduled.")
          }
          if active.isApplied { found.append("The fault \(fault.name) is in force before \(from), now \(now).") }
        }
        guard let until = fault.until, now > .distantPast else { continue }
        if until > now, until <= WorldClock.end, !ends.contains(active.serial) {
          found.append("The end of the fault \(fault.name) is not scheduled.")
        }
        if until < now, active.isApplied {
          found.append("The fault \(fault.name) is in force after \(until), now \(now).")
        }
        if Set(active.done).count != active.done.count {
          found.append("The fault \(fault.name) was done twice on a device.")
        }
      }
      return found
    }
  }

  extension Fault {
    fileprivate func strikes(_ kind: String) -> Bool {
      switch kind {
      case "opening connections": condition.trigger == .opening
      case "idle connections": condition.idleTime != nil
      case "reports": if case .reports = consequence { true } else { false }
      default: consequence.strikesPushes && !condition.isOfConnections
      }
    }
  }

  extension Connections {
    var problems: [String] {
      var found: [String] = []
      for state in states where self[state.id]?.id != state.id {
        found.append("Connection \(state.id.number) is not found by its number.")
      }
      if let last, states[last.index].id != last.connection {
        found.append("The connection used last, \(last.connection.number), is elsewhere.")
      }
      let closed = managers.filter { self[$0] == nil }
      if !closed.isEmpty { found.append("Closed connections manage channels: \(closed.map(\.number).sorted()).") }
      let sum = states.reduce(0) { $0 + $1.pushes }
      if sum > pushes { found.append("Connections have had \(sum) pushes, and there were \(pushes).") }
      for state in states where state.refused > state.pushes {
        found.append("Connection \(state.id.number): \(state.refused) of \(state.pushes) pushes refused.")
      }
      return found
    }
  }
#endif
