import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// A living token gets nothing any more.
///
/// Could have been right: the backend knows the token, from a report that it has accepted or because it has pushed to
/// it, at least a minute before the plain play pushes to it last. The token is current on a phone that is online, and
/// its app is installed. By then nothing has gone wrong for a minute, so that all waits are over, and the minute after
/// it was quiet, too. No answer has called the token bad, and no 410 is newer than its last report; the same holds for
/// the device and push-to-start tokens of its app. Apps have told the backend of the person as much as in the plain
/// play.
///
/// Not judged: tokens of an app that was deleted and installed again, which is another one to its backend;
/// push-to-start tokens, as a phone that has its card needs no start (`lastStateLost` sees missing cards). Nor are
/// these, unless pushes go to a token that the app has replaced: tokens whose push goes to another phone of the person
/// instead; tokens whose owner has opened the app once more, and all after a leap of the clock, since a reminder may
/// not be needed any more; and tokens whose last push was taken, but late, since a backend may leave out what comes too
/// soon after another push.
package enum TokenForgotten: Oracle {
  package static let name = "tokenForgotten"
  package static let meaning = "A living token gets nothing any more after something went wrong."
  private static let quiet: Duration = .seconds(60)

  struct Example {
    let install: InstallID
    let kind: String
    let token: String
    /// The push of the plain play that has no equal.
    let missed: WitnessedPush
  }

  package static func judge(_ variant: Witness, plain: Witness) -> [HuntFailure] {
    let (forgotten, total) = forgotten(variant, plain: plain)
    var cases = Cases<Example>()
    for example in forgotten {
      cases.add("\(example.kind) token, \(why(example, variant) ?? "though nothing is wrong")", example)
    }
    return cases.groups.map { group in
      let example = group.examples[0]
      let last = variant.pushes(to: example.token).last
      let missed = DurationText.write(plain.passed(at: example.missed.at))
      let words = last.map { "last \($0.words(since: variant.began))" } ?? "no push at all"
      return failure(
        group.subject,
        "\(counted(group.examples.count, of: total, "token")) \(group.examples.count == 1 ? "gets" : "get") nothing any"
          + " more: \(group.subject) (\(example.install.device.text): \(words); without trouble it gets"
          + " \(example.missed.noun) at \(missed))",
        expectation: expectation(group.examples, variant))
    }
  }

  /// The clause about what has gone wrong; nil if the last push was taken.
  private static func why(_ example: Example, _ witness: Witness) -> String? {
    if isReplaced(example, witness) { return "which the app has reported in place of one that is pushed to" }
    guard let last = witness.pushes(to: example.token).last, !(last.status == 200 && last.isAnswered) else {
      return nil
    }
    return "after \(last.noun) \(last.trouble ?? "that was answered \(last.status)")"
  }

  /// True if pushes go to another token after the app has reported this one in its place.
  private static func isReplaced(_ example: Example, _ witness: Witness) -> Bool {
    guard let told = witness.reports(of: example.token).first?.ended else { return false }
    let slot = example.missed.address?.slot
    return witness.pushes.contains { push in
      push.install == example.install && push.address?.slot == slot && push.token != example.token && told < push.at
    }
  }

  /// As many pushes like the missing one as come here, and one for each token that misses it; or else more pushes than
  /// this phone gets. Another play may forget other phones.
  private static func expectation(_ examples: [Example], _ witness: Witness) -> JSONValue {
    let example = examples[0]
    let kind = JSONValue.string(example.kind)
    let pushes = witness.pushes.filter { $0.tokenKind == example.kind }
    let alike = pushes.filter { isAlike($0, example.missed) && $0.status == 200 }
    guard !alike.contains(where: { $0.install == example.install }) else {
      return expectation(of: example, pushes.filter { $0.install == example.install }, in: witness)
    }
    var filter: [JSONValue.Member] = [.init("tokenKind", kind), .init("status", 200)]
    if let part = part(of: example.missed) { filter.append(.init("payload", ["aps": part])) }
    if let type = example.missed.record.push.type { filter.append(.init("pushType", .string(type.rawValue))) }
    let missing = examples.count { isAlike($0.missed, example.missed) }
    return [
      "name": "nobody is forgotten", "pushes": .object(filter), "count": .string("\(alike.count + missing).."),
    ]
  }

  /// More pushes than this phone gets; or if some go to a token that the app had replaced by its report, none of these.
  private static func expectation(
    of example: Example, _ pushes: [WitnessedPush], in witness: Witness
  ) -> JSONValue {
    let device = example.install.device.text
    var filter: [JSONValue.Member] = [
      .init("device", .string(device)), .init("tokenKind", .string(example.kind)),
    ]
    var count = "\(pushes.count + 1).."
    let told = witness.reports(of: example.token).first?.ended ?? .distantFuture
    let astray = pushes.filter { $0.record.fate == .discarded(.orphanToken) }
    if astray.contains(where: { told < $0.at }) {
      filter.append(.init("cause", .string(Fate.Discard.orphanToken.rawValue)))
      count = "0..\(astray.count { $0.at <= told })"
    }
    return [
      "name": .string("\(device) is not forgotten"), "pushes": .object(filter), "count": .string(count),
    ]
  }

  private static func isAlike(_ one: WitnessedPush, _ other: WitnessedPush) -> Bool {
    part(of: one) == part(of: other) && one.record.push.type == other.record.push.type
  }

  /// The part of a payload that tells a push from others: its end, its alert or its content.
  private static func part(of push: WitnessedPush) -> JSONValue? {
    if push.isEnd { return ["event": "end"] }
    if let alert = push.alert { return ["alert": alert] }
    return push.content.map { ["content-state": $0] }
  }

  /// The living tokens that get nothing any more, and the number of those that were compared.
  static func forgotten(_ variant: Witness, plain: Witness) -> (tokens: [Example], total: Int) {
    let calm = variant.lastTrouble.advanced(by: quiet)
    var (found, total): ([Example], Int) = ([], 0)
    for install in variant.installs where install.isInstalled && !variant.wasErased(install.id.device) {
      guard let old = plain[install.id] else { continue }
      let pairs = tokens(of: install, old)
      total += pairs.count
      for (kind, token, theirs) in pairs {
        guard let missed = plain.lastPush(to: theirs) else { continue }
        let due = plain.passed(at: missed.at)
        guard variant.passed(at: calm) <= due, due + quiet <= variant.passed(at: variant.end), install.isOnline,
          variant.known(token).map({ variant.passed(at: $0) + quiet <= due }) ?? false,
          !variant.mayForget(token, of: install.id), isSilent(token, since: due, variant),
          variant.wasToldAsMuch(of: install.user, as: plain)
        else { continue }
        let example = Example(install: install.id, kind: kind, token: token, missed: missed)
        guard isReplaced(example, variant) || isOwed(example, to: install.user, variant, plain: plain) else { continue }
        found.append(example)
      }
    }
    return (found, total)
  }

  /// The tokens that an install has now, each with the token in the plain play that is of the same use.
  private static func tokens(
    of install: WitnessedInstall, _ plain: WitnessedInstall
  ) -> [(kind: String, token: String, plain: String)] {
    var pairs: [(kind: String, token: String, plain: String)] = []
    // Some backends send notifications only to phones without a card, or without one that runs.
    let hasSameCards = words(of: install.cards) == words(of: plain.cards)
    if hasSameCards, let token = install.deviceToken, let theirs = plain.deviceToken {
      pairs.append(("device", token, theirs))
    }
    guard install.allowsActivities else { return pairs }
    for card in install.cards where card.isRunning {
      // Of two cards about one thing, one is left alone with reason.
      let equal = plain.cards.filter { $0.subject == card.subject }
      guard equal.count == 1, install.cards.count(where: { $0.subject == card.subject }) == 1, let token = card.token,
        let theirs = equal[0].token
      else { continue }
      pairs.append(("update", token, theirs))
    }
    return pairs
  }

  /// For each card what it is about and whether it runs.
  private static func words(of cards: [WitnessedCard]) -> [String] {
    cards.map { "\($0.isRunning) \($0.subject)" }.sorted()
  }

  /// True if the person needs the missed push as much as in the plain play.
  private static func isOwed(_ example: Example, to user: UserID, _ variant: Witness, plain: Witness) -> Bool {
    guard !variant.mayOweLess(to: user, than: plain),
      !variant.reaches(user, elsewhere: example.missed.alert, than: plain)
    else { return false }
    return why(example, variant) != nil || !isLate(example, variant, plain: plain)
  }

  /// True if the last push that was taken has come later than the one before the missed one in the plain play, so that
  /// a backend that pushes to nobody too often may leave the next one out. Of alerts, those to everybody count, as one
  /// campaign may wait for the other.
  private static func isLate(_ example: Example, _ variant: Witness, plain: Witness) -> Bool {
    let due = plain.passed(at: example.missed.at)
    func last(in witness: Witness, to token: String) -> Duration? {
      let pushes =
        example.missed.alert == nil ? witness.pushes(to: token) : witness.pushes.filter { $0.alert != nil }
      let before = pushes.filter { $0.mayBeTaken && witness.passed(at: $0.at) + Witness.punctuality < due }
      return before.last.map { witness.passed(at: $0.at) }
    }
    guard let mine = last(in: variant, to: example.token) else { return false }
    return last(in: plain, to: example.missed.token).map { $0 + Witness.punctuality < mine } ?? true
  }

  private static func isSilent(_ token: String, since due: Duration, _ witness: Witness) -> Bool {
    witness.pushes(to: token).last.map { witness.passed(at: $0.at) + quiet <= due } ?? true
  }
}

extension Witness {
  /// Margin for backends that store registration times in whole seconds: a 410 of the same second counts as newer.
  private static let clockMargin: Duration = .seconds(1)

  fileprivate func lastPush(to token: String) -> WitnessedPush? { pushes(to: token).last { $0.mayBeTaken } }

  /// True if the backend may have forgotten a token of that app with reason: an answer has called it bad, or dead since
  /// it was reported; or one has called the app's device or push-to-start token so, as the app may be gone then with
  /// all its tokens, until they are reported again.
  func mayForget(_ token: String, of install: InstallID) -> Bool {
    let newest = reports(of: token).last?.began ?? .distantPast
    return pushes(to: token).contains { push in
      callsDead(push) && (push.status != 410 || newest <= push.record.sentAt)
    }
      || refusals(of: install).contains { other in
        other.token != token && callsDead(other) && newest <= other.record.sentAt
      }
  }

  /// True if the answer to a push calls its token bad, or may call it dead since it was reported.
  private func callsDead(_ push: WitnessedPush) -> Bool {
    guard let rejection = push.record.answer.rejection else { return false }
    switch rejection.reason {
    // The token that the app reports again is still the same.
    case .badDeviceToken, .deviceTokenNotForTopic: return true
    case .unregistered, .expiredToken:
      guard let since = rejection.since,
        let registered = reports(of: push.token).last(where: { $0.began <= push.record.sentAt })
      else { return true }
      return since.advanced(by: Self.clockMargin) >= registered.began
    default: return false
    }
  }
}
