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
  var beside = 0

  /// The part that a tape records.
  var taped: TapeBatch { TapeBatch(calls: calls, events: beside == 0 ? events : Array(events.dropLast(beside))) }

  package var isEmpty: Bool { events.isEmpty && calls.isEmpty }
}

/// All readers of events. They never change the world and do not need its lock.
package struct EventReaders: Sendable {
  package var logs: EventLogs
  package var sessions: SessionRegistry
  /// Writes a tape, if one is recorded. Called in the order of events.
  var tape: (@Sendable (TapeBatch) -> Void)?

  package init(_ logs: EventLogs, apps: [String]) {
    self.logs = logs
    sessions = SessionRegistry(apps: apps)
  }

  /// Batches must be read in the order in which the world produced them.
  package mutating func read(_ batch: EventBatch) {
    if let tape, !batch.calls.isEmpty { tape(batch.taped) }
    logs.read(batch.events, of: batch.step)
    if sessions.hasOpen { sessions.read(batch.events, logs.pushLog) }
  }

  /// Forgets everything that the world before had. Numbers and counters continue.
  ///
  /// - Returns: the readers as they were.
  mutating func beginAnew() -> EventReaders {
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
  enum Audience: Sendable {
    case everybody
    /// Only expectations, in a simulated run without a report: they need no more than the pushes.
    case expectations
    /// Nobody, in a part of a divided scenario: if an expectation fails, one world plays the scenario again.
    case nobody
  }

  var audience = Audience.everybody

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
    deliveries = DeliveryMetrics()
    broadcasts = []
    troubles = TroubleLog()
  }

  /// - Parameter step: the scenario step that caused them; nil if no step did.
  package mutating func read(_ events: [WorldEvent], of step: Int? = nil) {
    if observer != nil { observer?.read(events, of: step, pushLog) }
    if tally != nil { tally?.read(events) }
    if auditor != nil { for event in events { auditor?.read(event) } }
    switch audience {
    case .everybody: break
    case .expectations: return logPushes(events)
    case .nobody: return
    }
    for index in events.indices {
      // Read in place: most events are pushes, and copying one costs as much as recording it.
      if case .push(let record) = events[index] {
        metrics.countPush(record.facts)
        deliveries.count(record)
        pushLog.append(record)
      } else {
        readOther(events, index)
      }
    }
  }

  /// Reads what expectations need.
  private mutating func logPushes(_ events: [WorldEvent]) {
    for index in events.indices {
      switch events[index] {
      case .push(let record): pushLog.append(record)
      case .pushSettled(let number, _, let fate, let at): pushLog.step(number, FateStep(fate: fate, at: at))
      case .answerSent(let number, let sent, let at): pushLog.sent(number, SentAnswerStep(sent: sent, at: at))
      default: break
      }
    }
  }

  private mutating func readOther(_ events: [WorldEvent], _ index: Int) {
    switch events[index] {
    case .pushSettled(let number, let device, let fate, let at):
      deliveries.countLater(number, fate, at: at)
      metrics.countFate(fate)
      metrics.countLater(fate, pushLog.step(number, FateStep(fate: fate, at: at)))
      deviceEvents.append(.settled(push: number, fate), app: nil, on: device, at: at, after: pushLog.total)
      return
    case .trouble(let trouble):
      troubles.append(trouble)
    case .answerSent(let number, let sent, let at):
      if let before = pushLog.sent(number, SentAnswerStep(sent: sent, at: at)) {
        metrics.countSent(before, sent)
        if tally != nil { tally?.countSent(before, sent) }
        deviceEvents.append(
          .answered(push: number, sent), app: before.address?.app, on: before.address?.device, at: at,
          after: pushLog.total)
      }
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
