import TestSupport
import Testing
import Timeline

@testable import Devices

/// Deferred updates against a list of everything that was deferred and is not yet gone.
@Suite("Held updates against a simple list")
struct BudgetHeldModelTests {
  private struct Entry {
    let token: Int
    let update: Int
    let reason: Reaction.Hold
    let due: Int64
    var flushedAt: Int64?
  }

  /// The release of one token's entries, which are listed from the oldest.
  private func outcome(_ entries: [Entry]) -> DeferredPushes.Release? {
    guard let first = entries.first, let last = entries.last else { return nil }
    var due = first.due
    for (older, newer) in zip(entries, entries.dropFirst()) {
      due = min(due, older.reason == newer.reason ? due : newer.due)
    }
    if let flushedAt = last.flushedAt { due = min(due, flushedAt) }
    return .init(
      key: .numbered(last.token), push: .init(last.update, last.reason), due: Instant(nanoseconds: due))
  }

  /// The releases of all deferred updates, from the earliest.
  private func queue(_ list: [Entry]) -> [DeferredPushes.Release] {
    var tokens: [Int] = []
    for entry in list where !tokens.contains(entry.token) { tokens.append(entry.token) }
    let outcomes = tokens.compactMap { token in outcome(list.filter { $0.token == token }) }
    return outcomes.enumerated().sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }.map(\.element)
  }

  @Test("Random holds, releases, flushes and withdrawals agree with a simple list")
  func agrees() {
    for seed: UInt64 in 0..<200 {
      var dice = Dice(seed: seed)
      var held = DeferredPushes()
      var list: [Entry] = []
      var now: Int64 = 0
      for step in 0..<150 {
        now += Int64(dice.below(4))
        let at = Instant(nanoseconds: now)
        let token = dice.below(6)
        var expected: [DeferredPushes.Release] = []
        var seen: [DeferredPushes.Release] = []
        switch dice.below(8) {
        case 0..<4:
          let reason: Reaction.Hold = dice.below(2) == 0 ? .lowPriority : .budget
          let delay = Int64(dice.below(20))
          let older = list.last { $0.token == token }
          list.append(Entry(token: token, update: step, reason: reason, due: now + delay))
          let until = outcome(list.filter { $0.token == token })?.due ?? at
          let holding = held.hold(.init(step, reason), of: .numbered(token), for: .nanoseconds(delay), at: at)
          let replaced = older.map { DeferredPush($0.update, $0.reason) }
          #expect(
            holding == (replaced.map { .coalesced($0, until: until) } ?? .held(until: until)), "seed \(seed)")
        case 4:
          let withdrawn = list.last { $0.token == token }?.update
          list.removeAll { $0.token == token }
          #expect(held.withdraw(.numbered(token))?.number == withdrawn, "seed \(seed)")
        case 5:
          for index in list.indices where list.last(where: { $0.token == list[index].token })?.reason == .lowPriority {
            list[index].flushedAt = now
          }
          expected = queue(list).filter { $0.due <= at }
          seen = held.flush(.foreground, LowPriorityPlan(), at: at)
        default:
          expected = queue(list).filter { $0.due <= at }
          while let release = held.takeDue(by: at) { seen.append(release) }
        }
        list.removeAll { entry in seen.contains { $0.key == .numbered(entry.token) } }
        guard seen == expected, held.nextDue() == queue(list).first?.due else {
          Issue.record("seed \(seed), step \(step): \(seen), not \(expected)")
          return
        }
      }
    }
  }
}
