import APNs
import Simulation
import Timeline
import WireFormats

/// Mistakes that the audit finds in a variant, and not in the plain play.
///
/// Could have been right: only kinds are told for which a backend had all that it needed to know, whatever went wrong.
/// The others look like mistakes under faults: a right backend sends an update or an end again when its answer was lost
/// (`olderTimestamp`, `updateAfterEnd`, `sameContent`), or sends so slowly that one push overwrites another
/// (`overwritten`). Three others are told by an oracle that names them better: `deadToken`, `tokenThrownAway`,
/// `duplicate` of an alert. Three pushes to a token that was replaced, or whose card was dismissed, are forgiven: they
/// may have waited in a queue.
package enum BackendFindings: Oracle {
  package static let name = "findings"
  package static let meaning = "The audit finds a mistake that the backend does not make without trouble."

  private static let told: [AuditFinding.Kind] = [
    // The refusal was sent, and says to wait.
    .hastyRetry,
    // The backend had sent the newer state before.
    .outOfOrder,
    // A backend knows when it has made a provider token, and no fault has said that it expired.
    .providerTokenRenewed, .providerTokenExpired,
    // The answer was sent, and such a token does not become valid.
    .refusedToken,
    // The app had reported the new token, or the dismissal, and the backend had accepted it, and goes on.
    .replacedToken, .pushAfterDismissal,
    // A backend knows which updates can wait, which starts it has sent, and which tokens have come.
    .updateBudgetSpent, .startsSpent,
    .connectionPerPush,
    // The first was answered 200.
    .duplicate,
  ]
  /// Connections that faults have ended, or made useless, are no connections of the backend's choice.
  private static let mostStrikes = 3
  /// A backend may try a refused token again once or twice, to be sure.
  private static let fewestRefused = 3

  /// Least number of findings of a kind that counts as a mistake: a right backend renews its provider token now and
  /// then, which may be in the middle of a play, and after ExpiredProviderToken.
  static func fewest(_ kind: AuditFinding.Kind) -> Int { kind == .providerTokenRenewed ? fewestRefused : 1 }

  package static func judge(_ variant: Witness, plain: Witness) -> [HuntFailure] {
    let mine = fair(variant, plain: plain)
    return told.compactMap { kind in
      let usual = plain.findings.count { $0.kind == kind }
      guard usual < fewest(kind), let found = mine[kind], let first = found.first, found.count >= usual + fewest(kind)
      else { return nil }
      let at = DurationText.write(variant.passed(at: first.at))
      let device = first.device.map { " (\($0.text))" } ?? ""
      return failure(
        kind.rawValue,
        "\(counted(found.count, "finding")) \(kind.rawValue), the first at \(at)\(device): \(first.sentence)",
        expectation: Expect.findings(
          kind.rawValue, most: kind == .refusedToken ? fewestRefused - 1 : usual + fewest(kind) - 1))
    }
  }

  private static func fair(_ witness: Witness, plain: Witness) -> [AuditFinding.Kind: [AuditFinding]] {
    let accused = Set(TokenForgotten.forgotten(witness, plain: plain).tokens.map(\.install.device))
    let fair = witness.findings.filter { finding in
      let isTold = finding.kind == .replacedToken && finding.device.map { accused.contains($0) } ?? false
      return !isTold && isFair(finding, witness, plain: plain)
    }
    return Dictionary(grouping: fair, by: \.kind)
  }

  /// Kinds that take a push's arrival for its sending. They are not told if a fault may have held pushes on their way.
  private static let readFromArrival: Set<AuditFinding.Kind> = [
    .hastyRetry, .outOfOrder, .duplicate, .replacedToken, .pushAfterDismissal, .refusedToken,
  ]

  private static func isFair(_ finding: AuditFinding, _ witness: Witness, plain: Witness) -> Bool {
    guard !witness.mayHoldRequests || !readFromArrival.contains(finding.kind) else { return false }
    switch finding.kind {
    case .hastyRetry: return isSameAgain(finding, witness)
    case .outOfOrder: return isShownOnce(finding, witness, plain: plain)
    case .duplicate: return witness.wasAskedForTheSame(as: plain) && isNeedless(finding, witness)
    case .replacedToken:
      return !witness.hasReorderedCalls && !(finding.device.map { witness.wasErased($0) } ?? false)
        && isNoRest(finding, witness)
    case .pushAfterDismissal: return isNoRest(finding, witness)
    // A process that was started again has none.
    case .providerTokenRenewed: return witness.restarts.isEmpty
    case .providerTokenExpired: return isUsedOn(witness)
    case .refusedToken: return isRefusedAgain(finding, witness)
    case .connectionPerPush:
      return witness.pushes.count { $0.record.fault != nil || $0.status >= 500 } < mostStrikes
        && !witness.faults.contains { $0.consequence.json["skew"] != nil }
    default: return true
    }
  }

  /// True if a provider token is used long after APNs itself has called it expired, and no other one was used between.
  private static func isUsedOn(_ witness: Witness) -> Bool {
    let hasSkew = witness.faults.contains { $0.consequence.json["skew"] != nil }
    guard !hasSkew else { return false }
    var first: Instant?
    for push in witness.pushes where push.record.fault == nil && push.isAnswered {
      guard push.reason == .expiredProviderToken else {
        if push.status == 200 { first = nil }
        continue
      }
      let since = first ?? push.at
      first = since
      if since.duration(to: push.at) > useAfterExpiry { return true }
    }
    return false
  }

  /// Longer than pushes with an old provider token are on their way, or a renewal takes.
  private static let useAfterExpiry: Duration = .seconds(120)

  private static let shortestWait: Duration = .seconds(1)

  /// True if the refused push itself was sent again, after its refusal was sent. Another push to the token may have
  /// been on its way.
  private static func isSameAgain(_ finding: AuditFinding, _ witness: Witness) -> Bool {
    guard let push = push(of: finding, witness),
      let before = witness.pushes(to: push.token).last(where: { $0.record.sequence < push.record.sequence })
    else { return false }
    // A backend may wait by its own clock, while that of the story stands; or for the next tick, which may come in the
    // same instant.
    let waited = before.record.at.wall.duration(to: push.record.at.wall)
    return before.isAnswered && before.record.sentAt <= push.at && waited < shortestWait
      && !witness.hasTick(after: before, before: push)
      && push.record.hasOwnContent && isCopy(push, of: before, witness)
  }

  /// True if two pushes are the same but for times and drawn ids. If these ids differ, the first may be about another
  /// thing, and if it is, they come again with it.
  private static func isCopy(_ push: WitnessedPush, of before: WitnessedPush, _ witness: Witness) -> Bool {
    func whole(_ push: WitnessedPush) -> Leaves { Leaves(push.payload, near: push.at, hasIDs: true) }
    guard Leaves(before.payload, near: before.at) == Leaves(push.payload, near: push.at) else { return false }
    let first = whole(before)
    guard first != whole(push) else { return true }
    let later = witness.pushes(to: push.token).drop { $0.record.sequence <= push.record.sequence }
    return !later.prefix(mostBetween).contains { whole($0) == first }
  }

  /// Assumed: no more pushes to a token come before one of them is sent again. It bounds what is read for each finding.
  private static let mostBetween = 100

  /// True if the plain play shows the content of the push only once: what comes again later is no old state.
  private static func isShownOnce(_ finding: AuditFinding, _ witness: Witness, plain: Witness) -> Bool {
    guard let push = push(of: finding, witness) else { return false }
    let content = Leaves(push.content, near: push.at)
    return plain.pushes.count { $0.install == push.install && Leaves($0.content, near: $0.at) == content } <= 1
  }

  /// True if the token's device was pushed to in vain several times. A push that was answered 429, or not at all, says
  /// nothing about its token, so it may be sent again.
  private static func isRefusedAgain(_ finding: AuditFinding, _ witness: Witness) -> Bool {
    let all = witness.findings.filter { $0.kind == finding.kind && $0.device == finding.device }
    return all.count { push(of: $0, witness)?.status == 400 } >= fewestRefused
  }

  /// True if more comes to the token than what may have waited in a queue since before. What is sent again counts once.
  private static func isNoRest(_ finding: AuditFinding, _ witness: Witness) -> Bool {
    guard let push = push(of: finding, witness) else { return false }
    let after = witness.pushes(to: push.token).filter { $0.record.sequence >= push.record.sequence }
    return Set(after.map { $0.aps?.text ?? "" }).count > DeadTokenPushed.forgiven
  }

  private static func push(of finding: AuditFinding, _ witness: Witness) -> WitnessedPush? {
    witness.pushes.last { $0.record.answer.id == finding.push && $0.at == finding.at }
  }

  /// True if a push without an alert came twice though each earlier one was answered 200.
  private static func isNeedless(_ finding: AuditFinding, _ witness: Witness) -> Bool {
    guard let push = push(of: finding, witness), push.alert == nil else { return false }
    let payload = push.payload
    return witness.pushes(to: push.token).filter {
      $0.record.sequence < push.record.sequence && $0.payload == payload
    }
    .allSatisfy { first in
      witness.wasSurelyHeard(first, within: .seconds(10)) && !witness.hasReason(for: push, after: first)
    }
  }
}
