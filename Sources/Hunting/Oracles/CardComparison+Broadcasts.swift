import APNs
import Timeline
import WireFormats

/// Cards that a channel updates. A backend has done its part when APNs has taken the broadcast.
extension CardComparison {
  /// Nil if the channel's broadcasts have brought what the card lacks, or if it lacks nothing.
  func lostBroadcast(_ card: WitnessedCard, _ wish: WitnessedCard) -> Loss? {
    guard let channel = card.channel, let other = wish.channel else { return nil }
    let (mine, theirs) = (variant.broadcasts(on: channel), plain.broadcasts(on: other))
    guard let last = mine.last, last.at.advanced(by: LastStateLost.patience) <= variant.end else { return nil }
    if wish.isOver, card.isRunning, theirs.contains(where: { $0.isEnd && $0.mayBeTaken }) {
      guard !mine.contains(where: { $0.isEnd && $0.mayBeTaken }) else { return nil }
      let ends = mine.filter(\.isEnd)
      return loss(
        card, ends.isEmpty ? [last] : ends, shows: "the card still runs",
        expectation: endedExpectation(card, wish))
    }
    let past = theirs.filter(\.mayBeTaken).compactMap(\.content) + plain.pushes(about: wish).compactMap(\.content)
    let behind = behind(card, wish, past: past)
    guard card.isOver == wish.isOver, !behind.isEmpty else { return nil }
    let attempts = mine.filter { has(behind, $0.content) }
    guard !attempts.contains(where: \.mayBeTaken) else { return nil }
    return loss(
      card, attempts.isEmpty ? [last] : attempts, shows: words(behind, on: card),
      expectation: expectation(card, lacking: behind))
  }

  private func loss(
    _ card: WitnessedCard, _ attempts: [WitnessedBroadcast], shows: String, expectation: JSONValue
  ) -> Loss? {
    guard attempts.count < LastStateLost.mostAttempts, let last = attempts.last, let trouble = last.trouble else {
      return nil
    }
    return Loss(
      subject: "a broadcast \(trouble) is never sent again",
      words: "\(card.install.device.text): \(last.words(since: variant.began)); \(shows)", token: nil,
      expectation: expectation)
  }
}

extension Witness {
  /// Broadcasts on a channel, oldest first.
  fileprivate func broadcasts(on channel: String) -> [WitnessedBroadcast] {
    broadcasts.filter { $0.channel == channel }
  }
}
