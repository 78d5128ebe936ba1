import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// The part of a backend that the provider of a simulated scenario lacks: it sends again what APNs has rejected for the
/// moment, or has not answered. A start without an answer may have been taken, so it is sent again only if no card
/// comes. Used as a backend where none is at hand.
package struct Resender: Sendable {
  /// Mistakes that it can be told to make.
  package enum Bug: String, CaseIterable, Sendable {
    /// Takes a push without an answer for sent.
    case forgetsUnanswered
    /// Sends no broadcast again.
    case forgetsBroadcasts
  }

  private enum Message: Sendable {
    case push(PushRecord, Address)
    case broadcast(ChannelRecord, ChannelID)
  }

  /// The receiver of messages of which the newest says all.
  private enum Subject: Hashable, Sendable {
    case address(Address)
    case channel(ChannelID)
  }

  private struct Waiting: Sendable {
    let message: Message
    /// Among the messages to its subject.
    let number: Int
    let at: Duration

    var subject: Subject {
      switch message {
      case .push(_, let address): .address(address)
      case .broadcast(_, let channel): .channel(channel)
      }
    }
  }

  /// Time without an answer after which it is given up.
  private static let answersWithin: Duration = .seconds(10)
  /// Time in which a start that was taken shows its card, even on a phone that was offline for a moment.
  private static let cardsWithin: Duration = .seconds(180)
  private static let firstWait: Duration = .seconds(2)
  private static let longestWait: Duration = .seconds(60)
  private static let mostTries = 20

  private let bug: Bug?
  private var waiting: [Waiting] = []
  /// Number of failed attempts of the newest message.
  private var failures: [Subject: Int] = [:]
  /// Subjects whose next message is one that was sent again.
  private var repeated: Set<Subject> = []
  /// Number of messages to each subject.
  private var counts: [Subject: Int] = [:]

  package init(_ bug: Bug? = nil) { self.bug = bug }

  /// The time at which it sends again; nil if nothing waits.
  var due: Duration? { waiting.map(\.at).min() }

  /// Reads what happened until that time.
  mutating func read(_ events: [WorldEvent], in world: World, at now: Duration) {
    for event in events {
      switch event {
      case .push(let record):
        guard let address = world.address(of: record) else { continue }
        take(.push(record, address), to: .address(address), record.sent, isStart: Self.isStart(address), at: now)
      case .channels(let record):
        guard record.operation == .publish, let channel = record.channelID, bug != .forgetsBroadcasts else { continue }
        let sent = record.sent ?? .answer(status: record.answer.status)
        take(.broadcast(record, channel), to: .channel(channel), sent, isStart: false, at: now)
      default: continue
      }
    }
  }

  private static func isStart(_ address: Address) -> Bool { address.slot.kind == .pushToStart }

  private mutating func take(
    _ message: Message, to subject: Subject, _ sent: SentAnswer, isStart: Bool, at now: Duration
  ) {
    let number = counts[subject, default: 0] + 1
    counts[subject] = number
    if repeated.remove(subject) == nil { failures[subject] = nil }
    guard let wait = wait(for: sent, isStart: isStart) else { return failures[subject] = nil }
    let before = failures[subject, default: 0]
    guard before < Self.mostTries else { return }
    failures[subject] = before + 1
    waiting.append(Waiting(message: message, number: number, at: now + max(wait, Self.backOff(after: before))))
  }

  /// The time to wait before the push is sent again; nil if it is not.
  private func wait(for sent: SentAnswer, isStart: Bool) -> Duration? {
    if sent.saysUnprocessed { return .zero }
    switch sent {
    case .answer(let status), .malformed(let status), .incomplete(let status):
      return status == 429 || status == 403 || status >= 500 ? Self.firstWait : nil
    case .reset, .nothing:
      if bug == .forgetsUnanswered { return nil }
      if isStart { return Self.cardsWithin }
      if case .nothing = sent { return Self.answersWithin }
      return Self.firstWait
    case .pending: return nil
    }
  }

  private static func backOff(after tries: Int) -> Duration {
    min(firstWait * (1 << min(tries, 5)), longestWait)
  }

  /// Sends again what is due. What a newer push has overtaken is not sent any more.
  mutating func send(by provider: inout VirtualProvider, on world: inout World, at now: Now, passed: Duration) {
    let due = waiting.filter { $0.at <= passed }
    waiting.removeAll { $0.at <= passed }
    for entry in due where counts[entry.subject] == entry.number {
      switch entry.message {
      case .push(let record, let address):
        guard !hasCard(of: record, at: address, in: world) else { continue }
        repeated.insert(entry.subject)
        provider.resend(record, to: address, on: &world, at: now)
      case .broadcast(let record, let channel):
        repeated.insert(entry.subject)
        provider.resend(record, on: channel, of: &world, at: now)
      }
    }
  }

  /// True if a start has its card; the app would tell its backend.
  private func hasCard(of record: PushRecord, at address: Address, in world: World) -> Bool {
    guard Self.isStart(address) else { return false }
    let activities = world.fleet.install(address.device, app: address.app).activities
    return activities.contains { $0.startedAt >= record.at.world }
  }
}
