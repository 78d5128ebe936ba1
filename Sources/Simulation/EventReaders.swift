import APNs
import Timeline

/// What has happened in one turn of the world, with the calls that brought it about where a tape is made.
package struct EventBatch: Sendable {
  package let events: [WorldEvent]
  let calls: [RecordedCall]
  /// The step of a scenario whose doing it is; nil for what came by itself.
  let step: Int?

  package var isEmpty: Bool { events.isEmpty && calls.isEmpty }
}

/// Everything that reads events: they never change the world, and need not hold it while they read.
package struct EventReaders: Sendable {
  package var logs: EventLogs
  package var sessions: SessionRegistry
  /// Where a tape is written, if one is; called in the order of what happens.
  var tape: (@Sendable (TapeBatch) -> Void)?

  package init(_ logs: EventLogs, apps: [String]) {
    self.logs = logs
    sessions = SessionRegistry(apps: apps)
  }

  /// Batches are read in the order in which the world made them.
  package mutating func read(_ batch: EventBatch) {
    if let tape, !batch.calls.isEmpty { tape(TapeBatch(calls: batch.calls, events: batch.events)) }
    logs.read(batch.events, of: batch.step)
    if sessions.hasOpen { sessions.read(batch.events) }
  }
}

/// The readers of the world's events that keep something: the push log, the counts, the troubles.
package struct EventLogs: Sendable {
  package private(set) var pushLog: PushLog
  package private(set) var metrics = Metrics()
  package private(set) var deliveries = DeliveryMetrics()
  /// Requests about channels that are kept.
  private static let broadcastsKept = 500
  /// Newest last.
  package private(set) var broadcasts: [ChannelRecord] = []
  package private(set) var troubles = TroubleLog()

  /// What has happened on the phones beside the pushes themselves.
  package private(set) var deviceEvents: DeviceEventLog
  /// What the apps have told their backends.
  package private(set) var calls: CallLog

  /// Nil where nobody asked for audits.
  package private(set) var auditor: Auditor?

  /// Nil where nothing is expected of the run.
  package var observer: Observer?

  package init(pushLogCapacity: Int, audits: Bool = false) {
    auditor = audits ? Auditor() : nil
    pushLog = PushLog(capacity: pushLogCapacity)
    deviceEvents = DeviceEventLog(capacity: 4 * pushLogCapacity)
    calls = CallLog(capacity: pushLogCapacity)
    pushLog.reserve()
    deviceEvents.reserve()
  }

  /// - Parameter step: the step of a scenario whose doing they are; nil for what came by itself.
  package mutating func read(_ events: [WorldEvent], of step: Int? = nil) {
    if observer != nil { observer?.read(events, of: step, pushLog) }
    if auditor != nil { for event in events { auditor?.read(event) } }
    for index in events.indices {
      // Looked at where it lies: most events are pushes, and a copy of one costs as much as noting it.
      if case .push(let record) = events[index] {
        metrics.countPush(record.facts)
        deliveries.count(record)
        pushLog.append(record)
      } else {
        readOther(events[index])
      }
    }
  }

  private mutating func readOther(_ event: WorldEvent) {
    switch event {
    case .trouble(let trouble):
      troubles.append(trouble)
    case .pushSettled(let number, let device, let fate, let at):
      deliveries.countLater(number, fate, at: at)
      metrics.countLater(fate, pushLog.step(number, FateStep(fate: fate, at: at)))
      deviceEvents.append(.settled(push: number, fate), app: nil, on: device, at: at, after: pushLog.total)
    case .answerSent(let number, let sent, let at):
      if let before = pushLog.sent(number, SentAnswerStep(sent: sent, at: at)) { metrics.countSent(before, sent) }
    case .channels(let record):
      if broadcasts.count >= 2 * Self.broadcastsKept { broadcasts.removeFirst(Self.broadcastsKept) }
      broadcasts.append(record)
    case .broadcastReached(let number, let device, let fate, let at):
      deviceEvents.append(.broadcast(number & ~(1 << 63), fate), app: nil, on: device, at: at, after: pushLog.total)
    case .callEnded(let end):
      calls.append(end)
      deviceEvents.append(.called(end), app: end.app, on: end.device, at: end.at, after: pushLog.total)
    case .phone(let device, let app, let deviceEvent, let at):
      deviceEvents.append(.happened(deviceEvent), app: app, on: device, at: at, after: pushLog.total)
    default: break
    }
    metrics.count(event)
  }
}
