import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// An alert about news that a person has been alerted to before.
///
/// Could have been right: the backend had no reason to push the news to this token again. Each earlier push of it was
/// answered 200 at once, or at least within ten seconds, and its client has not broken off before; a server that
/// promises nothing about time may take that long. Or it was an update of a Live Activity: sent again as it is, with
/// its timestamp, the phone drops it (Apple, Starting and updating Live Activities with ActivityKit push
/// notifications), so a resend with another timestamp alerts again without need, whatever became of the first.
///
/// Not judged: a notification that is sent again because its answer was lost, reset or refused, as some backends
/// decide so and may be right; starts, which may have to be repeated; news that the plain play does not tell exactly
/// once, or that has another collapse id, because the same words may be about something else, and news of which the app
/// has shown no more in all than in the plain play by then, as it may be joined; copies that a fault makes
/// on the way to the phone; pushes that may have been sent before the first one, as a fault may have held them; pushes
/// after a leap of the clock, or after somebody has used the app; and plays in which apps asked for something else than
/// in the plain play, for example twice for the same.
package enum AlertTwice: Oracle {
  package static let name = "alertTwice"
  package static let meaning = "A person is alerted again to what a push has told already, without need."
  /// The longest wait for an answer that a client must bear.
  private static let patience: Duration = .seconds(10)
  /// A shorter wait says nothing: the clock of a story may stand while a backend waits by its own.
  private static let shortest: Duration = .seconds(1)

  private struct Example {
    let again: WitnessedPush
    let first: WitnessedPush
  }

  package static func judge(_ variant: Witness, plain: Witness) -> [HuntFailure] {
    guard variant.wasAskedForTheSame(as: plain) else { return [] }
    let usual = plain.news.mapValues { $0.filter { $0.status == 200 }.count }
    let all = variant.news
    var cases = Cases<Example>()
    for (news, pushes) in all.sorted(by: { $0.value[0].record.sequence < $1.value[0].record.sequence }) {
      let seen = pushes.filter(\.isSeen)
      guard seen.count > 1, usual[news] == 1 else { continue }
      for push in seen.dropFirst() {
        guard let (why, first) = needless(push, among: pushes, variant), isOneMore(push, variant, plain: plain) else {
          continue
        }
        cases.add("\(push.noun) \(why) is sent again", Example(again: push, first: first))
        break
      }
    }
    return cases.groups.map { group in
      let example = group.examples[0]
      let device = example.again.address?.device.text ?? "?"
      return failure(
        group.subject,
        "\(counted(group.examples.count, "alert")) of \(counted(all.count, "alert")) came twice: \(group.subject)"
          + " (\(device): \(example.first.words(since: variant.began)); then"
          + " \(example.again.words(since: variant.began)))", expectation: expectation(example, plain))
    }
  }

  /// No more pushes with this alert that had this effect than without trouble.
  private static func expectation(_ example: Example, _ plain: Witness) -> JSONValue? {
    guard let alert = example.again.alert, let outcome = example.again.record.fate.outcome else { return nil }
    let usual = plain.pushes.count { push in
      push.record.fate.outcome == outcome && push.alert.map(alert.isPart(of:)) ?? false
    }
    return [
      "name": "everybody is told once",
      "pushes": ["payload": ["aps": ["alert": alert]], "outcome": .string(outcome)],
      "count": .string("0..\(max(1, usual))"),
    ]
  }

  /// The reason why the backend need not have sent a push, as a clause about the first, and the first; nil if it may
  /// have been right.
  private static func needless(
    _ push: WitnessedPush, among all: [WitnessedPush], _ witness: Witness
  ) -> (why: String, first: WitnessedPush)? {
    let earlier = all.filter { $0.token == push.token && $0.record.sequence < push.record.sequence }
    guard let first = earlier.last(where: \.isSeen), first.collapseID == push.collapseID,
      witness.isSurelySent(push, after: first.at), !witness.hasReason(for: push, after: first)
    else { return nil }
    if push.kind == "update", first.content != nil, first.timestamp != push.timestamp,
      Leaves(first.content, near: witness.end) == Leaves(push.content, near: witness.end), first.trouble != nil
    {
      return ("\(first.trouble ?? "") with a new timestamp", first)
    }
    guard earlier.allSatisfy({ witness.wasSurelyHeard($0, within: patience) || gaveUpEarly($0) }) else { return nil }
    if gaveUpEarly(first) { return ("for whose answer it has not waited \(DurationText.write(patience))", first) }
    let isSlow = first.wait > shortest
    return (isSlow ? "whose answer 200 took seconds" : "that was answered 200", first)
  }

  /// True if the app has shown more alerts by then than in the plain play. Joined news may have words that are due
  /// later.
  private static func isOneMore(_ push: WitnessedPush, _ variant: Witness, plain: Witness) -> Bool {
    func seen(in witness: Witness, until time: Duration) -> Int {
      witness.pushes.count {
        $0.install == push.install && !$0.isStart && $0.isSeen && witness.passed(at: $0.at) <= time
      }
    }
    let time = variant.passed(at: push.at)
    return seen(in: variant, until: time) > seen(in: plain, until: time + Witness.punctuality)
  }

  /// True if a client has broken off while the answer was on its way.
  private static func gaveUpEarly(_ push: WitnessedPush) -> Bool {
    guard push.status == 200, push.record.firstSent == .pending(.delay) else { return false }
    return push.record.sent == .nothing(.clientReset) && (shortest...patience).contains(push.wait)
  }
}
