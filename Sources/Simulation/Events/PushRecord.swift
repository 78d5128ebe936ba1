import APNs
import Devices
import Timeline
import WireFormats

/// A provider's connection, by its number since the world began.
package struct ProviderConnectionID: Hashable, Sendable {
  /// Number of the first connection of a simulated provider, above those of all clients.
  package static let firstSimulated: UInt64 = 1 << 40
  /// Number of the first connection of the admin API, above those of a million scenarios, and exact in JavaScript.
  package static let firstOfAdmin: UInt64 = 1 << 52

  package let number: UInt64
  package init(_ number: UInt64) { self.number = number }
}

/// The stream of a request, to which its answer refers.
package struct StreamID: Hashable, Sendable {
  package let connection: ProviderConnectionID
  package let number: Int32

  package init(_ connection: ProviderConnectionID, _ number: Int32) {
    self.connection = connection
    self.number = number
  }
}

/// Everything about one push: request, answer and fate.
///
/// It is passed from the world to every reader and into the push log, so its immutable part is one shared object.
package struct PushRecord: Hashable, Sendable {
  package let facts: Facts
  /// Later fates, the latest last.
  package private(set) var later: [FateStep] = []
  /// The last answer that was sent, if it differs from the one recorded at first.
  private(set) var lastSent: SentAnswerStep?

  init(_ facts: Facts) { self.facts = facts }

  /// The number of this push among the pushes of the world, from 1.
  package var sequence: UInt64 { facts.sequence }
  package var at: Now { facts.at }
  package var stream: StreamID { facts.stream }
  package var push: ParsedPush { facts.push }
  package var environment: Environment { facts.push.environment }
  /// As written; rebuilt at each call if many devices got the push.
  package var request: HTTPRequest { facts.push.request(to: facts.address) }
  package var answer: PushAnswer { facts.answer }
  /// Number of the provider's key on the key ring, once its token has been accepted.
  package var keyNumber: Int? { facts.keyNumber }
  /// The address of the device token, if it was looked up.
  package var address: Address? { facts.address }
  /// The fate of the push when it was answered.
  package var firstFate: Fate { facts.firstFate }
  /// Name of the fault that struck it.
  package var fault: String? { facts.fault }
  /// True if a fault delayed, changed or dropped the answer.
  package var isAnsweredApart: Bool { facts.firstSent != nil }
  /// The answer that has been sent so far. The one that was decided is `answer`.
  package var sent: SentAnswer { lastSent?.sent ?? firstSent }
  /// The time of `sent`.
  package var sentAt: Instant { lastSent?.at ?? facts.at.world }
  /// The answer that was sent when `answer` was decided.
  package var firstSent: SentAnswer { facts.firstSent ?? .answer(status: facts.answer.status) }
  /// The current fate of the push.
  package var fate: Fate { later.last?.fate ?? facts.firstFate }

  /// Records a later fate.
  mutating func settle(_ step: FateStep) { later.append(step) }

  /// True if it reached the phone at that time, after it had been on its way.
  func arrivedLate(at now: Instant) -> Bool {
    if case .onTheWay = firstFate { later.first?.at == now } else { false }
  }

  /// A copy of the record with a fate inserted before its later ones.
  func with(first step: FateStep) -> PushRecord {
    var record = self
    record.later.insert(step, at: 0)
    return record
  }

  /// Records another answer; ignored once the stream is closed.
  mutating func update(_ step: SentAnswerStep) { if sent.isOpen { lastSent = step } }

  /// The time and the stream of a push, and its number.
  struct Arrival: Hashable, Sendable {
    /// The push's number among the pushes of the world, from 1.
    let sequence: UInt64
    let at: Now
    let stream: StreamID
  }

  /// The effect of a push at the time of its answer.
  struct Outcome: Sendable {
    let fate: Fate
    /// Name of the fault that struck it.
    var fault: String?
    /// The answer that is sent at first; nil if it is sent as decided.
    var sent: SentAnswer?
    /// For a rejected push while sessions are open: the attributes that tell its session.
    var traits: PushTraits?
  }

  /// The part of a record that never changes: the push, and everything known when it was answered.
  package final class Facts: Hashable, Sendable {
    private let arrival: Arrival
    package let push: ParsedPush
    package let answer: PushAnswer
    package let keyNumber: Int?
    package let address: Address?
    private let outcome: Outcome

    package var sequence: UInt64 { arrival.sequence }
    package var at: Now { arrival.at }
    package var stream: StreamID { arrival.stream }
    package var firstFate: Fate { outcome.fate }
    package var fault: String? { outcome.fault }
    package var firstSent: SentAnswer? { outcome.sent }
    var traits: PushTraits? { outcome.traits }

    init(
      _ arrival: Arrival, push: ParsedPush, answer: PushAnswer, keyNumber: Int?, address: Address?,
      outcome: Outcome
    ) {
      self.arrival = arrival
      self.push = push
      self.answer = answer
      self.keyNumber = keyNumber
      self.address = address
      self.outcome = outcome
    }

    package static func == (left: Facts, right: Facts) -> Bool {
      left === right
        || left.arrival == right.arrival
          && left.push.environment == right.push.environment && left.address == right.address
          && left.push.request(to: left.address) == right.push.request(to: right.address)
          && left.answer == right.answer && left.keyNumber == right.keyNumber && left.firstFate == right.firstFate
          && left.fault == right.fault && left.firstSent == right.firstSent
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(sequence)
      hasher.combine(stream)
    }
  }
}

extension PushRecord {
  /// The delivery statuses that it has reached, each with its time, the latest last; empty if APNs did not process it.
  package var deliveries: [(status: DeliveryStatus, at: Instant)] {
    guard answer.rejection == nil else { return [(fate.status, at.world)] }
    guard isProcessed else { return [] }
    var reached = [(status: DeliveryStatus.received, at: at.world), (status: firstFate.status, at: at.world)]
    for step in later where step.fate.status != reached.last?.status { reached.append((step.fate.status, step.at)) }
    return reached
  }
}
