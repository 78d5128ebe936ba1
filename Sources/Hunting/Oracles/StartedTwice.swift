import APNs
import Devices
import Reporting
import Simulation
import Timeline
import WireFormats

/// A phone gets two cards about one thing.
///
/// Could have been right: a start that was sent again although the update token of the first card had been reported,
/// although the first start was answered 200 less than two minutes before, or less than half a minute after its answer
/// was lost. An app reports the token of a card that a push has started within seconds, so a backend that waits for it
/// knows whether the card is there (audit `startsSpent`; docs/behavior/failure-modes.md, mode 30). A start whose token
/// has not come after minutes may be repeated: the phone may have been force-quit, or the push lost. A 410 for the
/// card's token says that the card is gone, and not why; only the app's report says that its owner has dismissed it.
///
/// Not judged: plays in which apps asked for something else than in the plain play, for example twice for the same; and
/// a start after a leap of the clock, or after somebody has used the app since the first.
package enum StartedTwice: Oracle {
  package static let name = "startedTwice"
  package static let meaning = "A phone gets a second card about the same thing, without need."
  private static let tokenComes: Duration = .seconds(120)
  private static let answerComes: Duration = .seconds(30)

  package static func judge(_ variant: Witness, plain: Witness) -> [HuntFailure] {
    guard variant.wasAskedForTheSame(as: plain) else { return [] }
    var cases = Cases<(first: WitnessedPush, again: WitnessedPush, usual: Int)>()
    for install in variant.installs {
      let usual = Dictionary(grouping: plain[install.id]?.cards ?? [], by: \.subject).mapValues(\.count)
      for (subject, cards) in Dictionary(grouping: install.cards, by: \.subject).sorted(by: { $0.key < $1.key })
      where cards.count > max(1, usual[subject] ?? 0) {
        guard let (why, first, again) = needless(cards, usual: usual[subject] ?? 0, variant) else { continue }
        let starts = plain.pushes.count { $0.record.fate.outcome == "started" }
        cases.add("a start \(why) is sent again", (first, again, starts))
      }
    }
    return cases.groups.map { group in
      let (first, again, usual) = group.examples[0]
      return failure(
        group.subject,
        "\(counted(group.examples.count, "phone")) got two cards about one thing: \(group.subject)"
          + " (\(first.address?.device.text ?? "?"): \(first.words(since: variant.began)); then"
          + " \(again.words(since: variant.began)))",
        expectation: [
          "name": "nobody gets a card twice", "pushes": ["event": "start", "outcome": "started"],
          "count": .string("0..\(max(1, usual))"),
        ])
    }
  }

  /// The reason why a start need not have been sent, with the first one and the copy.
  private static func needless(
    _ cards: [WitnessedCard], usual: Int, _ witness: Witness
  ) -> (why: String, first: WitnessedPush, again: WitnessedPush)? {
    let starts = cards.sorted { $0.number < $1.number }.compactMap { card in
      witness.pushes(about: card).first { $0.isStart && $0.record.fate.outcome == "started" }.map { (card, $0) }
    }
    // A fault may have made a second card of one push.
    guard starts.count > usual else { return nil }
    for ((card, first), (_, again)) in zip(starts, starts.dropFirst()) {
      guard witness.isSurelySent(again, after: first.at), !witness.hasReason(for: again, after: first) else { continue }
      if let token = card.token {
        guard !mayThinkItGone(card, token: token, before: again.at, in: witness) else { continue }
        let known = witness.reports(of: token).first?.ended
        if let known, known < again.at, witness.isSurelySent(again, after: known) {
          return ("whose card had reported its token", first, again)
        }
      }
      let since = first.record.sentAt.duration(to: again.at)
      if witness.wasSurelyHeard(first, within: answerComes) {
        if since < tokenComes { return ("that was answered 200", first, again) }
      } else if let trouble = first.trouble, first.record.isProcessed, !first.record.sent.saysUnprocessed,
        since < answerComes
      {
        return (trouble, first, again)
      }
    }
    return nil
  }

  private static func mayThinkItGone(
    _ card: WitnessedCard, token: String, before time: Instant, in witness: Witness
  ) -> Bool {
    let isDead = witness.pushes(to: token).contains { $0.status == 410 && $0.isAnswered && $0.at <= time }
    return isDead
      && !witness.calls.contains { call in
        call.outcome.isSuccess && call.event.hasPrefix("activityState") && call.device == card.install.device
          && call.at < time
      }
  }
}
