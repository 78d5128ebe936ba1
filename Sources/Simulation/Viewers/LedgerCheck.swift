import Timeline

/// Expectations about what the ledger has. It is read from its oldest entry on, and further while somebody waits.
package struct LedgerCheck: Sendable {
  private var observer: Observer
  private var place: EventPlace
  private let began: Instant
  /// Pushes whose answers were not sent yet when they were read.
  private var unanswered: [UInt64: SentAnswer] = [:]

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
    readAnswers(logs)
    var events: [WorldEvent] = []
    for _ in 0..<most {
      guard let event = logs.event(after: place) else { break }
      event.pass(&place)
      events.append(event.worldEvent)
      if case .push(let record) = event, record.sent.isOpen { unanswered[record.sequence] = record.sent }
    }
    observer.read(events, of: nil, logs.pushLog)
    return place == logs.end
  }

  /// Answers that were sent since do not appear among the events of the ledger.
  private mutating func readAnswers(_ logs: EventLogs) {
    for (number, sent) in unanswered {
      guard let record = logs.pushLog.push(number: number) else {
        unanswered[number] = nil
        continue
      }
      guard record.sent != sent else { continue }
      observer.read([.answerSent(push: number, record.sent, at: record.sentAt)], of: nil, logs.pushLog)
      unanswered[number] = record.sent.isOpen ? record.sent : nil
    }
  }

  /// The results so far.
  package func verdicts(_ world: World, _ logs: EventLogs, at now: Instant) -> [Scenario.Verdict] {
    // Evaluated on a copy, because an evaluated expectation counts no more.
    var observer = observer
    return observer.expectations.indices.map { index in
      Evaluator(observer, index, world, logs.pushLog, at: now, passed: began.duration(to: now)).verdict(&observer)
    }
  }
}

extension ViewedEvent {
  /// As the world told it.
  fileprivate var worldEvent: WorldEvent {
    switch self {
    case .push(let record): .push(record)
    case .line(let line):
      switch line.entry {
      case .happened(let deviceEvent): .phone(line.device, app: line.app, deviceEvent, at: line.at)
      case .settled(let push, let fate): .pushSettled(number: push, line.device, fate, at: line.at)
      case .broadcast(let number, let fate): .broadcastReached(number, line.device, fate, at: line.at)
      case .called(let end): .callEnded(end)
      }
    }
  }
}
