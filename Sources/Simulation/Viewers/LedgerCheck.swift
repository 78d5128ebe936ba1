import Timeline

/// Expectations about the ledger. It is read from its oldest entry on, and further while somebody waits.
package struct LedgerCheck: Sendable {
  private var observer: Observer
  private var place: EventPlace
  private let began: Instant

  /// - Parameter sequence: only later events count; nil for all that are kept.
  package init(
    _ expectations: [Scenario.Expectation], apps: [String], after sequence: UInt64?, _ logs: EventLogs, at now: Instant
  ) {
    observer = Observer(expectations, apps: apps, began: now)
    began = now
    let kept = logs.kept
    place = sequence.map { $0 <= kept.sequence ? kept : logs.place(after: min($0, logs.end.sequence)) } ?? kept
  }

  /// Reads at most so many events.
  ///
  /// - Returns: whether all were read.
  package mutating func read(_ logs: EventLogs, most: Int) -> Bool {
    if place.sequence < logs.kept.sequence { place = logs.kept }
    var events: [WorldEvent] = []
    for _ in 0..<most {
      guard let event = logs.event(after: place) else { break }
      event.pass(&place)
      if let told = event.worldEvent { events.append(told) }
    }
    observer.read(events, of: nil, logs.pushLog)
    return place == logs.end
  }

  /// The results so far.
  package func verdicts(_ world: World, _ logs: EventLogs, at now: Instant) -> [Scenario.Verdict] {
    // Evaluated on a copy, because an expectation stops counting when it is evaluated.
    var observer = observer
    return observer.expectations.indices.map { index in
      Evaluator(observer, index, world, logs.pushLog, at: now, passed: began.duration(to: now)).verdict(&observer)
    }
  }
}

extension ViewedEvent {
  /// The event of the world that it was made from.
  fileprivate var worldEvent: WorldEvent? {
    switch self {
    case .push(let record): return .push(record)
    case .line(let line):
      if case .answered(let push, let sent) = line.entry { return .answerSent(push: push, sent, at: line.at) }
      guard let device = line.device else { return nil }
      switch line.entry {
      case .happened(let deviceEvent): return .phone(device, app: line.app, deviceEvent, at: line.at)
      case .settled(let push, let fate): return .pushSettled(number: push, device, fate, at: line.at)
      case .broadcast(let number, let fate): return .broadcastReached(number, device, fate, at: line.at)
      case .called(let end): return .callEnded(end)
      case .answered: return nil
      }
    }
  }
}
