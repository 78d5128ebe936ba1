import APNs
import Devices
import Reporting

/// Counts of what has happened, for Prometheus.
package struct Metrics: Sendable {
  /// Answers by environment, then 200 first and the reasons after it in their order.
  private var answers: [[UInt64]]
  package private(set) var connectionsOpened: UInt64 = 0
  package private(set) var connectionsClosed: UInt64 = 0
  package private(set) var tokensIssued: UInt64 = 0
  package private(set) var activitiesStarted: UInt64 = 0
  package private(set) var activitiesEnded: UInt64 = 0
  package private(set) var delivered: UInt64 = 0
  package private(set) var stored: UInt64 = 0
  package private(set) var discarded: UInt64 = 0
  /// Calls of apps that have left.
  package private(set) var callsSent: UInt64 = 0
  package private(set) var callsAnswered: UInt64 = 0
  /// Calls that were answered with anything but 2xx.
  package private(set) var callsRefused: UInt64 = 0
  /// By the order of the failures.
  private var callsFailed = [UInt64](repeating: 0, count: CallOutcome.Failure.allCases.count)
  /// Troubles by kind, in the order the kinds first came.
  package private(set) var troubles: [(kind: String, count: UInt64)] = []

  /// Silent drops, in the order of the causes.
  private var drops = [UInt64](repeating: 0, count: DropCause.allCases.count)

  private static let causeNumbers: [DropCause: Int] = Dictionary(
    uniqueKeysWithValues: DropCause.allCases.enumerated().map { ($1, $0) })
  /// The cause looked up last: drops come in rows of one cause, and its hash costs more than all else here.
  private var latestDrop: (cause: DropCause, number: Int)?
  private static let reasonNumbers: [RejectionReason: Int] = Dictionary(
    uniqueKeysWithValues: RejectionReason.allCases.enumerated().map { ($1, $0 + 1) })

  package init() {
    answers = Environment.allCases.map { _ in Array(repeating: 0, count: RejectionReason.allCases.count + 1) }
  }

  /// Answers given: nil stands for 200.
  package func count(_ environment: Environment, _ reason: RejectionReason?) -> UInt64 {
    answers[Self.number(environment)][reason.flatMap { Self.reasonNumbers[$0] } ?? 0]
  }

  package var accepted: UInt64 { answers.reduce(0) { $0 + $1[0] } }
  package var dropped: UInt64 { drops.reduce(0, +) }

  /// Notes a push by what is counted of it.
  mutating func notePush(_ facts: PushRecord.Facts) {
    let reason = facts.answer.refusal.flatMap { Self.reasonNumbers[$0.reason] } ?? 0
    answers[Self.number(facts.environment)][reason] += 1
    noteFate(facts.firstFate)
  }

  /// Notes where a push has got to, at once or later.
  package mutating func noteFate(_ fate: Fate) {
    switch fate {
    case .delivered(.dropped(let cause, _)), .deliveredFromStorage(.dropped(let cause, _)):
      delivered += 1
      drops[number(cause)] += 1
    // Held on the phone: delivered is counted when the hold is over.
    case .delivered(.held), .deliveredFromStorage(.held): break
    case .delivered, .deliveredFromStorage: delivered += 1
    case .stored: stored += 1
    case .discarded: discarded += 1
    case .refused: break
    }
  }

  private mutating func number(_ cause: DropCause) -> Int {
    if let latestDrop, latestDrop.cause == cause { return latestDrop.number }
    let number = Self.causeNumbers[cause] ?? 0
    latestDrop = (cause, number)
    return number
  }

  /// Pushes that phones dropped in silence.
  package func drops(_ cause: DropCause) -> UInt64 { drops[Self.causeNumbers[cause] ?? 0] }

  /// Notes everything else.
  package mutating func note(_ event: Event) {
    switch event {
    case .connectionOpened: connectionsOpened += 1
    case .connectionClosed: connectionsClosed += 1
    case .phone(_, _, let happening, _): note(happening)
    case .pushSettled(_, _, let fate, _): noteFate(fate)
    case .call: callsSent += 1
    case .callEnded(let end): note(end.outcome)
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

  private mutating func note(_ outcome: CallOutcome) {
    switch outcome {
    case .answered:
      if outcome.isSuccess { callsAnswered += 1 } else { callsRefused += 1 }
    case .failed(let failure, _):
      if let place = CallOutcome.Failure.allCases.firstIndex(of: failure) { callsFailed[place] += 1 }
    }
  }

  private mutating func note(_ happening: Happening) {
    switch happening {
    case .tokenIssued: tokensIssued += 1
    case .activityStarted: activitiesStarted += 1
    case .activityEnded: activitiesEnded += 1
    default: break
    }
  }

  private static func number(_ environment: Environment) -> Int { environment == .sandbox ? 0 : 1 }
}
