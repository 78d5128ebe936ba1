import Timeline

/// Expectations about the ledger. It is read from its oldest entry on, and further while somebody waits.
package struct LedgerCheck: Sendable {
  private var observer: Observer
  private var lives = PushLives()
  private var place: EventPlace
  private let began: Instant
  private var round: VerdictRound?
  /// The expectation that was not met the last time: it is likely not to be met yet.
  private var unmet: Int?

  /// - Parameter sequence: only later events count; nil for all that are kept.
  package init(_ observer: Observer, after sequence: UInt64?, _ logs: EventLogs) {
    self.observer = observer
    began = observer.began
    let kept = logs.kept
    place = sequence.map { $0 <= kept.sequence ? kept : logs.place(after: min($0, logs.end.sequence)) } ?? kept
  }

  /// Reads some events. Each is checked by all expectations, so fewer are read if there are many expectations.
  ///
  /// - Parameter work: number of checks, each of one event by one expectation.
  /// - Returns: whether all events were read.
  package mutating func read(_ logs: EventLogs, work: Int) -> Bool {
    if place.sequence < logs.kept.sequence { place = logs.kept }
    for _ in 0..<max(1, work / max(1, observer.expectations.count)) {
      guard let event = logs.event(after: place) else { break }
      event.pass(&place)
      guard let told = event.worldEvent else { continue }
      observer.read([told], of: nil, following: &lives, in: logs.pushLog)
    }
    return place == logs.end
  }

  package enum Judgement: Sendable {
    /// Call `judge` again.
    case unfinished
    /// An expectation is not met yet.
    case unmet
    case verdicts([Verdict])
  }

  /// Continues to evaluate the expectations by the events that were read.
  ///
  /// - Parameters:
  ///   - isLast: whether the client gets the verdicts in any case. Otherwise the first failure ends the evaluation, and
  ///     is not explained.
  ///   - work: as many checks of a push or more.
  package mutating func judge(
    _ world: World, _ logs: EventLogs, at now: Instant, isLast: Bool, work: Int
  ) -> Judgement {
    var work = work
    var round =
      self.round
      ?? VerdictRound(of: observer, first: unmet, explains: isLast, at: now, passed: began.duration(to: now))
    self.round = nil
    guard round.go(observer, world: world, pushLog: logs.pushLog, work: &work) else {
      self.round = round
      return .unfinished
    }
    unmet = round.failure
    return unmet == nil ? .verdicts(round.verdicts) : .unmet
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
