#if PUSHPIT_CHECKS
  import APNs
  import Devices
  import Timeline

  /// No effect of a fault is there without its fault, and indices agree with what they are of.
  extension FaultRegistry {
    func problems(on connections: Connections, _ schedule: Schedule, at now: Instant) -> [String] {
      indexProblems + markProblems(connections, at: now) + idleProblems(connections)
        + heldProblems(connections, schedule) + timeProblems(schedule, at: now)
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

    private func markProblems(_ connections: Connections, at now: Instant) -> [String] {
      var found: [String] = []
      for (number, list) in marks.sorted(by: { $0.key < $1.key }) {
        let there = "Connection \(number)"
        if connections.callers[ProviderConnectionID(number)] == nil {
          found.append("\(there) is closed and has marks.")
        }
        var seen: Set<String> = []
        for mark in list {
          guard let fault = self[mark.fault]?.fault else {
            found.append("\(there) is \(mark.effect) by the fault \(mark.fault), which is not set.")
            continue
          }
          if let until = fault.until, until < now {
            found.append(
              "\(there) is \(mark.effect) by the fault \(mark.fault), which was over at \(until), now \(now).")
          }
          if !seen.insert(mark.fault).inserted {
            found.append("\(there) is \(mark.effect) by the fault \(mark.fault) more than once: \(list.count) marks.")
          }
        }
      }
      for (number, list) in sticky.sorted(by: { $0.key < $1.key }) {
        let sick = Set((marks[number] ?? []).filter { $0.effect == .sick }.map(\.fault))
        let causes = list.map(\.fault)
        if list.isEmpty || Set(causes) != sick || sick.count != causes.count {
          found.append("Connection \(number) rejects by \(causes), and is marked so by \(sick.sorted()).")
        }
      }
      for (number, skew) in skews.sorted(by: { $0.key < $1.key }) {
        let causes = (marks[number] ?? []).map(\.effect)
        if causes.last(where: { $0.isLike(.skewed(.zero)) }) != .skewed(skew) {
          found.append("Connection \(number) has a clock \(skew) ahead, which is not of the last of \(causes).")
        }
      }
      for number in leaving.keys.sorted() where connections.callers[ProviderConnectionID(number)] == nil {
        found.append("Connection \(number) is closed, and its last stream is kept.")
      }
      return found
    }

    private func idleProblems(_ connections: Connections) -> [String] {
      var found: [String] = []
      let pushing = Set(connections.callers.keys.filter { !connections.managesChannels($0) }.map(\.number))
      if Set(lastHeard.keys) != (waiting.isEmpty ? [] : pushing) {
        found.append("Idle times are kept of \(lastHeard.keys.sorted()), not of \(pushing.sorted()).")
      }
      for place in armed.indices {
        let strangers = armed[place].silences.keys.filter { lastHeard[$0] == nil }.sorted()
        if !strangers.isEmpty { found.append("\(armed[place].fault.name) waits for \(strangers), which are closed.") }
      }
      guard let nextSilence else { return found }
      if nextLook.map({ $0 > nextSilence }) ?? true {
        found.append("An idle time ends at \(nextSilence), and is looked at \(nextLook.map { "\($0)" } ?? "never").")
      }
      return found
    }

    private func heldProblems(_ connections: Connections, _ schedule: Schedule) -> [String] {
      var found: [String] = []
      let listed = held.numbers.values.reduce(into: Set<UInt64>()) { $0.formUnion($1) }
      if listed != Set(held.orders.keys) {
        found.append("Delayed commands are \(held.orders.keys.sorted()), and by connection \(listed.sorted()).")
      }
      var due: [UInt64: Instant] = [:]
      for entry in schedule.agenda.heap { if case .wire(let number) = entry.work { due[number] = entry.due } }
      for (number, order) in held.orders.sorted(by: { $0.key < $1.key }) {
        if connections.callers[order.connection] == nil {
          found.append("A command waits for connection \(order.connection.number), which is closed.")
        }
        if let mark = order.ends, marks[order.connection.number]?.contains(mark) != true {
          found.append("A command ends \(mark), which is not on connection \(order.connection.number).")
        }
        if due[number] == nil { found.append("The delayed command \(number) is not scheduled: \(order.order.name).") }
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
        if let from = fault.from, from > now, now > .distantPast, fault.consequence.standsByItself {
          if !begins.contains(armed.serial) {
            found.append("The beginning of the fault \(fault.name) is not scheduled.")
          }
          if armed.isInForce { found.append("The fault \(fault.name) is in force before \(from), now \(now).") }
        }
        guard let until = fault.until, now > .distantPast else { continue }
        if until > now, !ends.contains(armed.serial) {
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
      if let last, callers.index(forKey: last.connection) != last.place {
        found.append("The connection used last, \(last.connection.number), is elsewhere.")
      }
      let closed = managers.filter { callers[$0] == nil }
      if !closed.isEmpty { found.append("Closed connections manage channels: \(closed.map(\.number).sorted()).") }
      let sum = callers.values.reduce(0) { $0 + $1.pushes }
      if sum > pushes { found.append("Connections have had \(sum) pushes, and there were \(pushes).") }
      for (connection, caller) in callers where caller.refused > caller.pushes {
        found.append("Connection \(connection.number): \(caller.refused) of \(caller.pushes) pushes refused.")
      }
      return found
    }
  }
#endif
