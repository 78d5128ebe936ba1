import APNs
import Devices
import Scenarios
import Simulation
import Timeline
import WireFormats

/// A notification never comes, because its backend has not sent it again.
///
/// A phone shows it in the plain play, once. Here the backend has sent it, so it wanted to, and APNs has taken no push
/// of it.
///
/// Could have been right: the last attempt was refused with an answer that asks for another one, or its stream was
/// above the last one of a GOAWAY. The phone is online and has the app, the token is its current one, and no answer has
/// called it bad. The notification has not expired, the backend has not tried five times, and nothing has gone wrong
/// for a minute and a half.
///
/// Not judged: attempts whose answer was lost, which some backends do not repeat, and may be right; attempts after
/// which the backend was stopped, or the phone's owner has soon used the app, or somebody else has soon done more in it
/// than to open it, which may settle the news for everybody; alerts after which something else was soon sent to the
/// app, or an alert that is not in the plain play, as newer news may replace or include older news; and alerts that
/// somebody else gets later, or another phone of the person instead, as an offer may go to the next one.
package enum AlertLost: Oracle {
  package static let name = "alertLost"
  package static let meaning = "A notification that was refused for a while is never sent again."

  private struct Example {
    let install: WitnessedInstall
    let last: WitnessedPush
  }

  package static func judge(_ variant: Witness, plain: Witness) -> [HuntFailure] {
    let usual = plain.news.filter { $0.key.kind == "alert" && $0.value.count == 1 && $0.value[0].isSeen }
    var cases = Cases<Example>()
    let news = variant.news
    let all = news.filter { usual[$0.key] != nil }
    for (key, attempts) in all.sorted(by: { $0.value[0].record.sequence < $1.value[0].record.sequence }) {
      guard let last = attempts.last, let install = variant[key.install],
        isLost(attempts, on: install, variant, plain: plain), !isPassedOn(attempts[0], among: news)
      else { continue }
      cases.add(
        "\(last.noun) \(variant.trouble(of: attempts) ?? "") is never sent again", Example(install: install, last: last)
      )
    }
    return cases.groups.map { group in
      let example = group.examples[0]
      let (count, device) = (group.examples.count, example.install.id.device.text)
      return failure(
        group.subject,
        "\(counted(count, of: usual.count, "alert")) never \(count == 1 ? "comes" : "come"): \(group.subject)"
          + " (\(device): \(example.last.words(since: variant.began)))",
        expectation: expectation(group.examples, variant))
    }
  }

  private static func isLost(
    _ attempts: [WitnessedPush], on install: WitnessedInstall, _ variant: Witness, plain: Witness
  ) -> Bool {
    guard let first = attempts.first, let last = attempts.last,
      !attempts.contains(where: { $0.status == 200 && $0.record.isProcessed })
    else { return false }
    let isOver = max(last.record.sentAt, variant.lastTrouble).advanced(by: LastStateLost.patience)
    let isDue = last.record.sentAt.advanced(by: variant.retryPatience(atLeast: LastStateLost.patience))
    return last.trouble != nil && (last.isAnswered || !last.record.isProcessed) && last.status != 410
      && install.isOnline && install.isInstalled && !variant.wasErased(install.id.device)
      && install.deviceToken == last.token && !variant.mayForget(last.token, of: install.id)
      && !LastStateLost.mayGiveUp(attempts, in: variant) && isOver <= variant.end
      && last.record.push.expiration.map { isOver <= $0 } ?? true
      && !variant.restarts.contains { $0.order != .start && first.at <= $0.at }
      && !variant.mayBeSettled(for: install.user, after: first.at, until: max(isOver, isDue))
      && !isReplaced(last, in: variant, plain: plain)
      && !variant.reaches(install.user, elsewhere: last.alert, than: plain)
  }

  /// True if newer news may have taken its place, whatever becomes of that: something else is sent to the app before
  /// the next attempt was due, for which a long quiet time of the story allows longer, or with the same collapse id; or
  /// later, but only because of what was refused, such as a digest of both.
  private static func isReplaced(_ last: WitnessedPush, in variant: Witness, plain: Witness) -> Bool {
    let isDue = last.record.sentAt.advanced(by: variant.retryPatience(atLeast: LastStateLost.startPatience))
    let usual = plain.pushes.filter { $0.install == last.install }.map(\.alert)
    return variant.pushes.contains { push in
      guard push.install == last.install, push.record.sequence > last.record.sequence else { return false }
      guard push.alert != nil else { return push.token == last.token && push.at < isDue }
      return push.at < isDue || !usual.contains(push.alert) || last.collapseID.map { $0 == push.collapseID } ?? false
    }
  }

  /// True if the same alert is sent to somebody else for the first time later than here: what was offered to one person
  /// may have gone to the next.
  private static func isPassedOn(_ first: WitnessedPush, among all: [News: [WitnessedPush]]) -> Bool {
    let later = first.at.advanced(by: fanOut)
    return all.contains { news, pushes in
      news.alert == first.alert && news.install != first.install && later < pushes[0].at
    }
  }

  /// Longer than it takes to send one alert to everybody.
  private static let fanOut: Duration = .seconds(10)

  /// As many pushes of the alert that APNs takes as here, and one for each phone that misses it: another play may lose
  /// those of other phones.
  private static func expectation(_ examples: [Example], _ variant: Witness) -> JSONValue? {
    guard let alert = examples[0].last.alert else { return nil }
    let taken = variant.pushes.count { $0.status == 200 && $0.alert.map(alert.isPart(of:)) ?? false }
    let wanted = taken + examples.count { $0.last.alert.map(alert.isPart(of:)) ?? false }
    return [
      "name": "everybody is told", "pushes": ["payload": ["aps": ["alert": alert]], "status": 200],
      "count": .string("\(wanted).."),
    ]
  }
}
