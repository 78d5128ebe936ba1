#if PUSHPIT_CHECKS
  import APNs
  import Devices
  import Timeline

  /// No effect of a fault is there without its fault, and indices agree with what they are of.
  extension FaultRegistry {
    func problems(on connections: Connections, _ schedule: Schedule, at now: Instant) -> [String] {
      indexProblems + connectionProblems(connections, schedule, at: now) + timeProblems(schedule, at: now)
    }

    /// The lists of places are those that the faults themselves give.
    private var indexProblems: [String] {
      var found: [String] = []
      func compare(_ what: String, _ index: [Int], _ belongs: (Fault) -> Bool) {
        let places = armed.indices.filter { belongs(armed[$0].fault) }
        if index != places { found.append("The index of faults that strike \(what) is \(index), not \(places).") }
      }
      compare("opening connections", opening) { $0.condition.isOpening }
      compare("idle connections", waiting) { $0.condition.idle != nil }
      compare("reports", reporting) { if case .reports = $0.consequence { true } else { false } }
      compare("pushes", watching.map(\.place)) { $0.consequence.strikesPushes && !$0.condition.isOfConnections }
      if Set(armed.map(\.fault.name)).count != armed.count { found.append("Two faults have the same name.") }
      for (name, _) in prompts where self[name]?.isInForce != true {
        found.append("Questions are asked as the fault \(name) says, which is not in force.")
      }
      return found
    }

    /// A connection is changed only by faults that are set.
    private func lastingProblems(_ caller: Connections.Caller, at now: Instant) -> [String] {
      var found: [String] = []
      let there = "Connection \(caller.id.number)"
      for lasting in caller.faults.lasting {
        let name = lasting.fault.name
        if let fault = self[name]?.fault {
          if let until = fault.until, until < now {
            found.append("\(there) is changed by the fault \(name), which was over at \(until), now \(now).")
          }
        } else {
          found.append("\(there) is changed by the fault \(name), which is not set.")
        }
        if let number = lasting.ending, caller.faults.delayed.list[number] == nil {
          found.append("\(there) is changed by the fault \(name), whose end is not scheduled.")
        }
      }
      return found
    }

    private func idleProblems(
      _ caller: Connections.Caller, _ connections: Connections, at now: Instant
    ) -> [String] {
      let connection = caller.id
      let waits = !waiting.isEmpty && !connections.managesChannels(connection)
      guard let idle = caller.faults.idle else {
        return waits ? ["The idle time of connection \(connection.number) is not kept."] : []
      }
      guard waits else { return ["The idle time of connection \(connection.number) is kept for nothing."] }
      guard let next = nextIdleCheck(of: connection, in: caller.environment, idle, by: waiting, at: now) else {
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
      for caller in connections.callers.sorted(by: { $0.id.number < $1.id.number }) {
        found += lastingProblems(caller, at: now) + idleProblems(caller, connections, at: now)
        for (number, delayed) in caller.faults.delayed.list.sorted(by: { $0.key < $1.key })
        where !scheduled.contains(number) {
          found.append("The delayed command \(number) is not scheduled: \(delayed).")
        }
      }
      let waiting = connections.callers.reduce(0) { $0 + $1.faults.delayed.list.count }
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
      for armed in armed {
        let fault = armed.fault
        if let from = fault.from, from > now, from <= WorldClock.end, now > .distantPast,
          fault.consequence.standsByItself
        {
          if !begins.contains(armed.serial) {
            found.append("The beginning of the fault \(fault.name) is not scheduled.")
          }
          if armed.isInForce { found.append("The fault \(fault.name) is in force before \(from), now \(now).") }
        }
        guard let until = fault.until, now > .distantPast else { continue }
        if until > now, until <= WorldClock.end, !ends.contains(armed.serial) {
          found.append("The end of the fault \(fault.name) is not scheduled.")
        }
        if until < now, armed.isInForce {
          found.append("The fault \(fault.name) is in force after \(until), now \(now).")
        }
        if Set(armed.done).count != armed.done.count {
          found.append("The fault \(fault.name) was done twice on a device.")
        }
      }
      return found
    }
  }

  extension Connections {
    var problems: [String] {
      var found: [String] = []
      for caller in callers where self[caller.id]?.id != caller.id {
        found.append("Connection \(caller.id.number) is not found by its number.")
      }
      if let last, callers[last.place].id != last.connection {
        found.append("The connection used last, \(last.connection.number), is elsewhere.")
      }
      let closed = managers.filter { self[$0] == nil }
      if !closed.isEmpty { found.append("Closed connections manage channels: \(closed.map(\.number).sorted()).") }
      let sum = callers.reduce(0) { $0 + $1.pushes }
      if sum > pushes { found.append("Connections have had \(sum) pushes, and there were \(pushes).") }
      for caller in callers where caller.refused > caller.pushes {
        found.append("Connection \(caller.id.number): \(caller.refused) of \(caller.pushes) pushes refused.")
      }
      return found
    }
  }
#endif
