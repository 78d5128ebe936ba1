import APNs

/// Numbers of pushes that were answered otherwise than decided: each is counted once, by what was sent last.
struct SentCounts: Sendable {
  /// Difference between the number of answers sent and decided; few kinds occur.
  private(set) var moved: [SentAnswer: Int64] = [:]

  /// Counts a push, by what was sent when it was decided.
  mutating func count(_ facts: PushRecord.Facts) {
    if let sent = facts.firstSent { move(from: .answer(status: facts.answer.status), to: sent) }
  }

  /// Counts a push by what is sent now, and no longer by what was sent before.
  mutating func move(from before: SentAnswer, to after: SentAnswer) {
    guard before != after else { return }
    moved[before, default: 0] -= 1
    moved[after, default: 0] += 1
  }

  /// Counts of pushes without a complete answer, by words.
  var others: [String: UInt64] {
    var counts: [String: UInt64] = [:]
    for (sent, count) in moved where count > 0 {
      if case .answer = sent { continue }
      counts[sent.words] = UInt64(count)
    }
    return counts
  }
}
