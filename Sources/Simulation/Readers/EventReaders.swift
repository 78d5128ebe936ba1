import APNs
import Timeline

/// The events of one turn: those of the world and, if a tape is recorded, the calls that caused them; then the troubles
/// beside the world.
package struct EventBatch: Sendable {
  package let events: [WorldEvent]
  let calls: [RecordedCall]
  /// The scenario step that caused them; nil if no step did.
  let step: Int?
  /// Number of troubles beside the world, at the end of the events.
  let beside: Int

  package init(events: [WorldEvent], calls: [RecordedCall], step: Int?, beside: Int = 0) {
    self.events = events
    self.calls = calls
    self.step = step
    self.beside = beside
  }

  /// The part that a tape records.
  var taped: TapeBatch { TapeBatch(calls: calls, events: beside == 0 ? events : Array(events.dropLast(beside))) }

  package var isEmpty: Bool { events.isEmpty && calls.isEmpty }
}

/// All readers of events. They never change the world and do not need its lock.
package struct EventReaders: Sendable {
  package var logs: EventLogs
  package var sessions: SessionRegistry
  /// Writes a tape, if one is recorded. Called in the order of events.
  package var tape: (@Sendable (TapeBatch) -> Void)?

  package init(_ logs: EventLogs, apps: [String]) {
    self.logs = logs
    sessions = SessionRegistry(apps: apps)
  }

  /// Batches must be read in the order in which the world produced them.
  package mutating func read(_ batch: EventBatch) {
    if let tape, !batch.calls.isEmpty { tape(batch.taped) }
    guard sessions.hasOpen else { return logs.read(batch.events, of: batch.step) }
    for index in batch.events.indices { read(batch.events, index, of: batch.step) }
    logs.endRead(of: batch.events.count)
  }

  /// Reads an event of a list, while sessions are open.
  private mutating func read(_ events: [WorldEvent], _ index: Int, of step: Int?) {
    if case .push(let record) = events[index] {
      let owner = sessions.note(events[index], record)
      logs.read(events, at: index, of: step, owner: owner)
    } else {
      let change = logs.read(events, at: index, of: step)
      guard let owner = sessions.read(events, at: index, change: change),
        case .answerSent(let number, _, _) = events[index]
      else { return }
      logs.note(owner, of: number)
    }
  }

  /// Forgets everything that the world before had. Numbers and counters continue.
  ///
  /// - Returns: the readers as they were.
  package mutating func beginAnew() -> EventReaders {
    let ended = self
    logs.beginAnew()
    sessions.beginAnew()
    return ended
  }
}

/// The readers that store events: the push log, the counts, the troubles.
package struct EventLogs: Sendable {
  package private(set) var pushLog: PushLog
  package private(set) var metrics = Metrics()
  package private(set) var deliveries = DeliveryMetrics()
  /// Maximum number of requests about channels kept.
  private static let broadcastsKept = 500
  /// Newest last.
  package private(set) var broadcasts: [ChannelRecord] = []
  package private(set) var troubles = TroubleLog()

  /// Events on the phones, without the pushes themselves.
  package private(set) var deviceEvents: DeviceEventLog
  /// The calls of apps to their backends.
  package private(set) var calls: CallLog

  /// Nil if auditing is off.
  package private(set) var auditor: Auditor?
  /// The counts of the audits of earlier worlds.
  private var auditedBefore = FindingCounts()
  /// Number of times that the world had begun anew at the last batch of a tape.
  private var beginnings: UInt64 = 0

  /// Nil if there are no expectations.
  package var observer: Observer?

  /// Nil if no report was asked for.
  package var tally: RunTally?

  /// Who may ask for counts and logs.
  package enum Audience: Sendable {
    case everybody
    /// Only expectations, in a simulated run without a report: they need no more than the pushes.
    case expectations
    /// Nobody, in a part of a divided scenario: if an expectation fails, one world plays the scenario again.
    case nobody
  }

  package var audience = Audience.everybody

  private var lives = PushLives()

  package init(pushLogCapacity: Int, audits: Bool = false, auditing: Auditor = Auditor()) {
    auditor = audits ? auditing : nil
    pushLog = PushLog(capacity: pushLogCapacity)
    deviceEvents = DeviceEventLog(capacity: 4 * pushLogCapacity)
    calls = CallLog(capacity: pushLogCapacity)
    pushLog.reserve()
    deviceEvents.reserve()
  }

  /// The findings of the whole run; nil if auditing is off.
  package var audited: FindingCounts? {
    guard let auditor else { return nil }
    var counts = auditedBefore
    counts.add(auditor.counts)
    return counts
  }

  /// Reads a batch from a tape, and begins anew where the world did.
  ///
  /// - Returns: true if the world has begun anew.
  @discardableResult
  package mutating func read(_ events: [WorldEvent], in world: World) -> Bool {
    read(events)
    guard world.beginnings != beginnings else { return false }
    beginnings = world.beginnings
    beginAnew()
    return true
  }

  package mutating func beginAnew() {
    if let auditor { auditedBefore.add(auditor.counts) }
    auditor?.beginAnew()
    tally?.beginAnew()
    pushLog.removeAll()
    deviceEvents.removeAll()
    calls.removeAll()
    lives = PushLives()
    deliveries = DeliveryMetrics()
    broadcasts = []
    troubles = TroubleLog()
  }

  /// - Parameter step: the scenario step that caused them; nil if no step did.
  package mutating func read(_ events: [WorldEvent], of step: Int? = nil) {
    if tally == nil, auditor == nil {
      switch audience {
      case .everybody: break
      case .expectations: return logPushes(events, of: step)
      case .nobody: return observe(events, of: step)
      }
    }
    for index in events.indices { read(events, at: index, of: step) }
    endRead(of: events.count)
  }

  /// Records only what expectations need.
  private mutating func logPushes(_ events: [WorldEvent], of step: Int?) {
    observe(events, of: step)
    for index in events.indices {
      switch events[index] {
      case .push(let record): pushLog.append(record)
      case .pushSettled(let number, _, let fate, let at): pushLog.step(number, FateStep(fate: fate, at: at))
      case .answerSent(let number, let sent, let at): pushLog.sent(number, SentAnswerStep(sent: sent, at: at))
      default: break
      }
    }
  }

  /// Lets only the expectations read the events.
  private mutating func observe(_ events: [WorldEvent], of step: Int?) {
    observer?.read(events, of: step, following: &lives, in: pushLog)
  }

  /// All events of a list have been read.
  mutating func endRead(of count: Int) { tally?.endRead(of: count) }

  /// Reads an event of a list.
  ///
  /// - Parameters:
  ///   - index: of the event, which is read in place: most events are pushes, and copying one costs as much as
  ///     recording it.
  ///   - owner: the session that the push belongs to.
  /// - Returns: the change of a push that is followed.
  @discardableResult
  mutating func read(
    _ events: [WorldEvent], at index: Int, of step: Int?, owner: SessionOwner? = nil
  ) -> PushChange? {
    let change = lives.change(events, at: index, in: pushLog)
    let isAsked =
      observer?.read(events, at: index, change: change, of: step, keeping: pushLog.capacity) ?? false
    if auditor != nil { auditor?.read(events[index]) }
    switch events[index] {
    case .push(let record): count(record, notes: PushLife.Notes(step: step, owner: owner), isAsked: isAsked)
    case .pushSettled(let number, let device, let fate, let at):
      if tally != nil, let trace = tally?.settle(change, at: at) { lives.note(number) { $0.trace = trace } }
      settled(number, on: device, step: FateStep(fate: fate, at: at), change: change)
    case .answerSent(let number, let sent, let at): answered(number, SentAnswerStep(sent: sent, at: at))
    default:
      if tally != nil { tally?.read(events[index]) }
      if audience == .everybody { count(events, index) }
    }
    return change
  }

  /// Notes the session of a push whose answer waits.
  mutating func note(_ owner: SessionOwner, of number: UInt64) { lives.note(number) { $0.owner = owner } }

  // MARK: - Pushes

  /// - Parameter isAsked: true if expectations need the later changes of the push.
  private mutating func count(_ record: PushRecord, notes: PushLife.Notes, isAsked: Bool) {
    var notes = notes
    if tally != nil { notes.trace = tally?.read(record) ?? nil }
    if record.wasOpen,
      isAsked || notes.owner != nil || notes.trace != nil || audience == .everybody && DeliveryMetrics.follows(record)
    {
      lives.follow(PushLife(record, notes))
    }
    switch audience {
    case .everybody:
      metrics.countPush(record.facts)
      deliveries.count(record)
      pushLog.append(record)
    case .expectations: pushLog.append(record)
    case .nobody: break
    }
  }

  private mutating func settled(_ number: UInt64, on device: DeviceID, step: FateStep, change: PushChange?) {
    switch audience {
    case .everybody:
      if let change { deliveries.count(change, at: step.at) }
      metrics.countFate(step.fate)
      metrics.countLater(step.fate, pushLog.step(number, step))
      deviceEvents.append(.settled(push: number, step.fate), app: nil, on: device, at: step.at, after: pushLog.total)
    case .expectations: pushLog.step(number, step)
    case .nobody: break
    }
  }

  private mutating func answered(_ number: UInt64, _ step: SentAnswerStep) {
    guard audience != .nobody, let before = pushLog.sent(number, step), audience == .everybody else { return }
    metrics.countSent(before, step.sent)
    if tally != nil { tally?.countSent(before, step.sent) }
    deviceEvents.append(
      .answered(push: number, step.sent), app: before.address?.app, on: before.address?.device, at: step.at,
      after: pushLog.total)
  }

  // MARK: - Everything else

  private mutating func count(_ events: [WorldEvent], _ index: Int) {
    switch events[index] {
    case .trouble(let trouble): troubles.append(trouble)
    case .channels(let record):
      if broadcasts.count >= 2 * Self.broadcastsKept { broadcasts.removeFirst(Self.broadcastsKept) }
      broadcasts.append(record)
    case .broadcastReached(let number, let device, let fate, let at):
      deviceEvents.append(
        .broadcast(BroadcastNumber.ofRequest(number), fate), app: nil, on: device, at: at, after: pushLog.total)
    case .callEnded(let end):
      calls.append(end)
      deviceEvents.append(.called(end), app: end.app, on: end.device, at: end.at, after: pushLog.total)
    case .phone(let device, let app, let deviceEvent, let at):
      deviceEvents.append(.happened(deviceEvent), app: app, on: device, at: at, after: pushLog.total)
    default: break
    }
    metrics.count(events[index])
  }
}
