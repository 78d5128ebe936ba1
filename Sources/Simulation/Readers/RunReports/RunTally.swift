import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// The numbers of a run of any length, for its report: a reader of events.
///
/// Its memory is bounded, at about 50 MB: histograms, at most 600 points of a curve, and tables that ignore or drop
/// what does not fit. What they left out is counted.
package struct RunTally: Sendable {
  /// The numbers of an accepted push that count again when it has another fate.
  struct Trace: Sendable {
    let event: Instant?
    let fanOut: UInt64
    /// Index of the counter of the present fate.
    var fate: Int
  }

  /// Pushes of one kind, as Apple's console divides them.
  package struct Kind: Hashable, Sendable {
    /// Nil if the header is missing or invalid.
    package let type: PushType?
    package let priority: Priority
  }

  package struct KindCounts: Sendable {
    package fileprivate(set) var accepted: UInt64 = 0
    package fileprivate(set) var refused: UInt64 = 0
  }

  /// The clock by which times between pushes are measured.
  package enum Clock: Sendable {
    case machine
    /// The clock of the scenario, for a run in which time passed faster than by the machine's clock.
    case simulated
  }

  static let mostFollowed = 100_000
  private static let mostTracked = 2048
  /// Maximum number of faults that are counted by name when they strike connections: tests choose the names.
  private static let mostNames = 100

  package let clock: Clock
  package private(set) var pushes: UInt64 = 0
  package private(set) var events: UInt64 = 0
  /// Decided answers; nil stands for 200.
  package private(set) var answers: [RejectionReason?: UInt64] = [:]
  package private(set) var kinds: [Kind: KindCounts] = [:]
  private var sent = SentCounts()
  package private(set) var series = RateSeries()
  package var latency = LatencyTally()
  package var fates = FateTally()
  package var fanOuts = FanOutTally()
  package private(set) var retries = RetryTally()
  package private(set) var connections = ConnectionTally()
  /// Number of 429 answers that faults ordered. They are no limit of APNs.
  package private(set) var throttledByFaults: UInt64 = 0
  /// Number of 429 answers for the token of each address, without those of faults.
  package private(set) var throttled = BoundedTable<Address, UInt64>(most: mostTracked) { $0 }
  package var phones = BoundedTable<DeviceID, TroubledPhone>(most: mostTracked) { $0.total }
  package private(set) var connectionStrikes: [String: UInt64] = [:]
  package private(set) var troubles: [String: UInt64] = [:]
  package private(set) var calls: UInt64 = 0
  package private(set) var failedCalls: UInt64 = 0
  package var broadcasts = BroadcastFigures()
  /// Pushes whose final fate is unknown, because too many were waiting for theirs.
  package private(set) var unfollowed: UInt64 = 0
  /// Number of pushes without a final fate that are followed.
  private var followed = 0
  /// Times of the first and the last push, by `clock`.
  package private(set) var firstPush: Instant?
  package private(set) var lastPush: Instant?
  /// Times of the same two pushes, by this machine's clock.
  private var reached: (first: Instant, last: Instant)?
  /// The latest time of the world's clock at which a push arrived or something happened on a phone.
  package private(set) var worldReached: Instant?
  /// The push read last, and the key of its fan-out.
  private var latestKey: (push: ParsedPush, key: UInt64)?

  package init(by clock: Clock = .machine) { self.clock = clock }

  /// Number of 429 answers by which APNs's limits slowed the sender.
  package var throttledByLimits: UInt64 { count(.throttled) - min(throttledByFaults, count(.throttled)) }

  /// Time from the first to the last push by this machine's clock, if `clock` is another one.
  package var machineLength: Duration? {
    guard clock == .simulated, let reached else { return nil }
    return max(.zero, reached.first.duration(to: reached.last))
  }

  /// Time from the first to the last push, by `clock`.
  package var length: Duration {
    guard let firstPush, let lastPush else { return .zero }
    return max(.zero, firstPush.duration(to: lastPush))
  }

  /// Pushes by what was sent last, in words, unless it was a complete answer.
  package var otherAnswers: [String: UInt64] { sent.others }

  package func count(_ answer: RateSeries.Answer) -> UInt64 { series.slots.reduce(0) { $0 + $1.count(answer) } }

  /// Adds processor times. They are of the machine's clock, so by the simulated one they have no place.
  package mutating func add(_ sample: RateSeries.Sample) { if clock == .machine { series.add(sample) } }

  /// The world begins with new phones, and its pushes are followed no more. Counts continue.
  mutating func beginAnew() {
    followed = 0
    broadcasts.beginAnew()
    fanOuts.endBroadcasts()
  }

  /// The events of one read of a connection, or of one turn, have been counted.
  mutating func endRead(of count: Int) {
    events += UInt64(count)
    connections.endRead()
  }

  // MARK: - Pushes

  /// Counts a push.
  ///
  /// - Returns: what is needed when the push has another fate; nil if it will have none, or too many pushes are
  ///   followed.
  mutating func read(_ record: PushRecord) -> Trace? {
    let answer = record.curve
    let isAccepted = record.answer.rejection == nil
    let now = clock == .machine ? record.at.wall : record.at.world
    pushes += 1
    if firstPush == nil { firstPush = now }
    lastPush = now
    reached = (reached?.first ?? record.at.wall, record.at.wall)
    worldReached = record.at.world
    answers[record.answer.rejection?.reason, default: 0] += 1
    let kind = Kind(type: record.push.type, priority: record.push.priority)
    if isAccepted { kinds[kind, default: .init()].accepted += 1 } else { kinds[kind, default: .init()].refused += 1 }
    series.add(answer, fault: record.fault, at: now)
    connections.push(on: record.stream.connection)
    retries.read(record, answer, at: now)
    sent.count(record.facts)
    let event = latency.eventTime(of: record)
    let key = fanOutKey(record)
    fanOuts.sent(key, isAccepted: isAccepted, at: record.at.world) { Self.name(record) }
    let isOrdered = answer == .throttled && record.answer.rejection?.rule == nil
    if isOrdered { throttledByFaults += 1 }
    guard let address = record.address else { return nil }
    if answer == .throttled, !isOrdered { throttled.update(address, default: 0) { $0 += 1 } }
    guard isAccepted else {
      let incident = TroubledPhone.Incident(
        at: record.at.world, push: record.sequence, reason: record.answer.rejection?.reason, fate: nil)
      phones.update(address.device, default: TroubledPhone()) { $0.add(incident) }
      return nil
    }
    let fate = PushFate(record.firstFate, kind: address.slot.kind)
    let trace = Trace(event: event, fanOut: key, fate: fates.add(fate))
    reached(fate, trace: trace, record: record, on: address.device, at: record.at.world)
    guard !record.firstFate.isFinal else { return nil }
    guard followed < Self.mostFollowed else {
      unfollowed += 1
      return nil
    }
    followed += 1
    return trace
  }

  private mutating func reached(
    _ fate: PushFate, trace: Trace, record: PushRecord, on device: DeviceID, at now: Instant
  ) {
    if fate.isOnScreen {
      latency.shown(receivedAt: record.at.world, event: trace.event, at: now)
      fanOuts.shown(trace.fanOut, sentAt: record.at.world, at: now)
    }
    guard fate.isLost else { return }
    phones.update(device, default: TroubledPhone()) {
      $0.add(TroubledPhone.Incident(at: now, push: record.sequence, reason: nil, fate: fate))
    }
  }

  /// Counts another fate of a push.
  ///
  /// - Parameter change: nil if the push is not followed.
  /// - Returns: what is needed when the push has yet another fate; nil if it will have none.
  mutating func settle(_ change: PushChange?, at now: Instant) -> Trace? {
    worldReached = max(worldReached ?? now, now)
    guard let change, var trace = change.before.notes.trace, !change.before.fate.isFinal,
      let address = change.record.address
    else { return nil }
    let found = PushFate(change.fate, kind: address.slot.kind)
    fates.remove(at: trace.fate)
    trace.fate = fates.add(found)
    reached(found, trace: trace, record: change.record, on: address.device, at: now)
    guard change.fate.isFinal else { return trace }
    followed -= 1
    return nil
  }

  /// Counts a changed answer to a push, compared with what the push log had before.
  mutating func countSent(_ before: PushRecord, _ now: SentAnswer) { sent.move(from: before.sent, to: now) }

  // MARK: - Everything else

  /// Counts an event about a connection, a channel or a phone.
  mutating func read(_ event: WorldEvent) {
    switch event {
    case .channels(let record): readBroadcast(record)
    case .broadcastReached(let number, let device, let fate, let at): broadcast(number, on: device, fate, at: at)
    case .connectionOpened(let id, _, _): connections.open(id)
    case .connectionClosed(let id): connections.close(id)
    case .connectionStruck(let fault, _, _):
      let name = connectionStrikes.count < Self.mostNames ? fault : RateSeries.otherFaults
      connectionStrikes[connectionStrikes[fault] == nil ? name : fault, default: 0] += 1
    case .trouble(let trouble): troubles[trouble.kind, default: 0] += 1
    case .callEnded(let end):
      calls += 1
      if !end.outcome.isSuccess { failedCalls += 1 }
    case .streamsAllowed, .push, .pushSettled, .faultStruck, .wire, .listener, .call, .phone, .answerSent: break
    }
  }

  // MARK: - Fan-outs

  private mutating func fanOutKey(_ record: PushRecord) -> UInt64 {
    let push = record.push
    if let latestKey, latestKey.push === push { return latestKey.key }
    let storage = push.request.storage
    let content = push.collapseIDRange.map { Auditor.hash(storage.span, $0) } ?? Auditor.contentHash(record)
    let topic = push.topicRange.map { Auditor.hash(storage.span, $0) } ?? 0
    let type = push.typeRange.map { Auditor.hash(storage.span, $0) } ?? 0
    let key = [content, topic, type].reduce(0 as UInt64) { sum, word in
      ((sum << 5 | sum >> 59) ^ word) &* 0x9E37_79B9_7F4A_7C15
    }
    // The highest bit is that of broadcasts.
    latestKey = (push, key & ~(1 << 63))
    return key & ~(1 << 63)
  }

  /// The news in words: its alert, or what it changes on the card. Without either, its topic and push type.
  private static func name(_ record: PushRecord) -> String {
    let push = record.push
    let heading = PushHeading(record)
    let topic = "\(push.topicRange.map(push.text) ?? "no topic"): \(push.typeRange.map(push.text) ?? "alert")"
    let news = heading.alert ?? heading.content.map { heading.event == "end" ? "end: \($0)" : $0 } ?? topic
    return news + (push.collapseIDRange.map { ", collapse id \(push.text($0))" } ?? "")
  }
}

extension PushRecord {
  /// Kind of the answer in the curve of answers.
  fileprivate var curve: RateSeries.Answer {
    switch firstSent {
    case .reset, .nothing: return .unanswered
    case .answer, .malformed, .incomplete, .pending: break
    }
    switch answer.status {
    case 200: return .accepted
    case 429: return .throttled
    case 500...: return .failed
    default: return .refused
    }
  }
}
