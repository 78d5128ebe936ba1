import APNs
import Simulation
import Timeline
import WireFormats

/// The part of a backend that the provider of a simulated scenario lacks: it sends again what APNs has rejected for the
/// moment, or has not answered. Used as a backend where none is at hand.
package struct Resender: Sendable {
  /// Mistakes that it can be told to make.
  package enum Bug: String, CaseIterable, Sendable {
    /// Takes a push without an answer for sent.
    case forgetsUnanswered
  }

  private struct Waiting: Sendable {
    let record: PushRecord
    let address: Address
    let at: Duration
  }

  /// Time without an answer after which it is given up.
  private static let answersWithin: Duration = .seconds(10)
  private static let firstWait: Duration = .seconds(2)
  private static let longestWait: Duration = .seconds(60)
  private static let mostTries = 20

  private let bug: Bug?
  private var waiting: [Waiting] = []
  /// Number of failed attempts since the last push that was accepted.
  private var failures: [Address: Int] = [:]
  /// The number of the newest push to each address.
  private var newest: [Address: UInt64] = [:]

  package init(_ bug: Bug? = nil) { self.bug = bug }

  /// The time at which it sends again; nil if nothing waits.
  var due: Duration? { waiting.map(\.at).min() }

  /// Reads what happened until that time.
  mutating func read(_ events: [WorldEvent], in world: World, at now: Duration) {
    for case .push(let record) in events {
      guard let address = world.address(of: record) else { continue }
      newest[address] = record.sequence
      guard let wait = wait(for: record.sent) else {
        failures[address] = nil
        continue
      }
      let before = failures[address, default: 0]
      guard before < Self.mostTries else { continue }
      failures[address] = before + 1
      waiting.append(Waiting(record: record, address: address, at: now + max(wait, Self.backOff(after: before))))
    }
  }

  /// The time to wait before the push is sent again; nil if it is not.
  private func wait(for sent: SentAnswer) -> Duration? {
    if sent.saysUnprocessed { return .zero }
    switch sent {
    case .answer(let status), .malformed(let status), .incomplete(let status):
      return status == 429 || status == 403 || status >= 500 ? Self.firstWait : nil
    case .reset: return bug == .forgetsUnanswered ? nil : Self.firstWait
    case .nothing: return bug == .forgetsUnanswered ? nil : Self.answersWithin
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
    for entry in due where newest[entry.address] == entry.record.sequence {
      provider.resend(entry.record, to: entry.address, on: &world, at: now)
    }
  }
}
