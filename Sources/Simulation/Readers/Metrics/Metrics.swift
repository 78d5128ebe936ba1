import APNs
import Devices
import Reporting

/// Counts of events, for Prometheus.
package struct Metrics: Sendable {
  /// Answers by environment: 200 first, then the reasons in order.
  private var answers: [[UInt64]]
  package private(set) var connectionsOpened: UInt64 = 0
  package private(set) var connectionsClosed: UInt64 = 0
  package private(set) var tokensIssued: UInt64 = 0
  package private(set) var activitiesStarted: UInt64 = 0
  package private(set) var activitiesEnded: UInt64 = 0
  package private(set) var delivered: UInt64 = 0
  package private(set) var stored: UInt64 = 0
  package private(set) var discarded: UInt64 = 0
  /// Calls of apps that were sent.
  package private(set) var callsSent: UInt64 = 0
  package private(set) var callsAnswered: UInt64 = 0
  /// Calls that were answered with a status other than 2xx.
  package private(set) var callsRefused: UInt64 = 0
  /// In the order of the failures.
  private var callsFailed = [UInt64](repeating: 0, count: CallOutcome.Failure.allCases.count)
  /// Troubles by kind, in the order of first occurrence.
  package private(set) var troubles: [(kind: String, count: UInt64)] = []

  /// By environment.
  private var sent: [SentCounts]

  /// The reactions of phones to pushes.
  package private(set) var outcomes = DeliveryOutcomes()

  /// Silent drops, in the order of the causes.
  private var drops = [UInt64](repeating: 0, count: DropCause.allCases.count)

  private static let causeNumbers: [DropCause: Int] = Dictionary(
    uniqueKeysWithValues: DropCause.allCases.enumerated().map { ($1, $0) })
  /// The cause counted last: drops come in runs of one cause, and hashing would dominate the cost.
  private var latestDrop: (cause: DropCause, number: Int)?
  private static let reasonNumbers: [RejectionReason: Int] = Dictionary(
    uniqueKeysWithValues: RejectionReason.allCases.enumerated().map { ($1, $0 + 1) })

  package init() {
    answers = Environment.allCases.map { _ in Array(repeating: 0, count: RejectionReason.allCases.count + 1) }
    sent = Environment.allCases.map { _ in SentCounts() }
  }

  /// Number of decided answers; nil stands for 200.
  package func count(_ environment: Environment, _ reason: RejectionReason?) -> UInt64 {
    answers[Self.number(environment)][reason.flatMap { Self.reasonNumbers[$0] } ?? 0]
  }

  /// Number of pushes whose answer was sent as decided.
  package var answered: UInt64 {
    Environment.allCases.reduce(0) { sum, environment in
      self.sent(environment).reduce(sum) { if case .answer = $1.sent { $0 + $1.count } else { $0 } }
    }
  }
  /// Pushes that APNs decided to accept.
  package var accepted: UInt64 { answers.reduce(0) { $0 + $1[0] } }
  package var dropped: UInt64 { drops.reduce(0, +) }

  /// Counts a push.
  mutating func countPush(_ facts: PushRecord.Facts) {
    let reason = facts.answer.rejection.flatMap { Self.reasonNumbers[$0.reason] } ?? 0
    answers[Self.number(facts.push.environment)][reason] += 1
    countFate(facts.firstFate)
    outcomes.count(facts.firstFate, facts.address)
    sent[Self.number(facts.push.environment)].count(facts)
  }

  /// Counts a later fate of a push to that address.
  mutating func countLater(_ fate: Fate, _ address: Address?) { outcomes.count(fate, address) }

  /// Counts a changed answer to a push, compared with what was recorded before.
  mutating func countSent(_ before: PushRecord, _ now: SentAnswer) {
    sent[Self.number(before.environment)].move(from: before.sent, to: now)
  }

  /// The number of pushes of an environment, by the answer that was sent so far.
  package func sent(_ environment: Environment) -> [(sent: SentAnswer, count: UInt64)] {
    var counts = sent[Self.number(environment)].moved
    for reason in [nil] + RejectionReason.allCases.map(Optional.some) {
      counts[.answer(status: reason?.status ?? 200), default: 0] += Int64(clamping: count(environment, reason))
    }
    return SentAnswer.sorted(counts.keys).compactMap { sent in
      counts[sent].flatMap { $0 > 0 ? (sent, UInt64($0)) : nil }
    }
  }

  /// Counts a fate of a push, immediate or later.
  package mutating func countFate(_ fate: Fate) {
    switch fate {
    case .delivered(.dropped(let cause, _)), .deliveredFromStorage(.dropped(let cause, _)):
      delivered += 1
      drops[number(cause)] += 1
    // Deferred on the phone: counted as delivered when it is released.
    case .delivered(.held), .deliveredFromStorage(.held): break
    case .delivered(.notified), .deliveredFromStorage(.notified):
      if fate.isDisabled { discarded += 1 } else { delivered += 1 }
    case .delivered, .deliveredFromStorage: delivered += 1
    case .stored: stored += 1
    // Counted when it arrives.
    case .onTheWay: break
    case .discarded, .discardedFromStorage: discarded += 1
    case .refused: break
    }
  }

  private mutating func number(_ cause: DropCause) -> Int {
    if let latestDrop, latestDrop.cause == cause { return latestDrop.number }
    let number = Self.causeNumbers[cause] ?? 0
    latestDrop = (cause, number)
    return number
  }

  /// Number of pushes that phones dropped silently.
  package func drops(_ cause: DropCause) -> UInt64 { drops[Self.causeNumbers[cause] ?? 0] }

  /// Counts every other event.
  package mutating func count(_ event: WorldEvent) {
    switch event {
    case .connectionOpened: connectionsOpened += 1
    case .connectionClosed: connectionsClosed += 1
    case .phone(_, _, let deviceEvent, _): count(deviceEvent)
    case .pushSettled(_, _, let fate, _): countFate(fate)
    case .call: callsSent += 1
    case .callEnded(let end): count(end.outcome)
    case .trouble(let trouble):
      if let index = troubles.firstIndex(where: { $0.kind == trouble.kind }) {
        troubles[index].count += 1
      } else {
        troubles.append((trouble.kind, 1))
      }
    default: break
    }
  }

  package func callsFailed(_ failure: CallOutcome.Failure) -> UInt64 {
    CallOutcome.Failure.allCases.firstIndex(of: failure).map { callsFailed[$0] } ?? 0
  }

  private mutating func count(_ outcome: CallOutcome) {
    switch outcome {
    case .answered:
      if outcome.isSuccess { callsAnswered += 1 } else { callsRefused += 1 }
    case .failed(let failure, _):
      if let place = CallOutcome.Failure.allCases.firstIndex(of: failure) { callsFailed[place] += 1 }
    }
  }

  private mutating func count(_ deviceEvent: DeviceEvent) {
    switch deviceEvent {
    case .tokenIssued: tokensIssued += 1
    case .activityStarted: activitiesStarted += 1
    case .activityEnded: activitiesEnded += 1
    default: break
    }
  }

  private static func number(_ environment: Environment) -> Int { environment == .sandbox ? 0 : 1 }
}
