import APNs
import Simulation
import Timeline
import WireFormats

/// A token that APNs has called dead is pushed to without end.
///
/// Could have been right: once it has received a 410 whose time is not older than the token's last registration, a
/// backend knows that the token is dead until it is registered again (Apple, Handling notification responses from APNs:
/// stop pushing until the device registers the token again). Three pushes more are forgiven: they may have waited in a
/// queue, or each be the first of a worker. A 410 by a fault counts only if it is newer than a registration that is
/// known. A registration whose answer was lost may have come.
package enum DeadTokenPushed: Oracle {
  package static let name = "deadTokenPushed"
  package static let meaning = "A token is pushed to again and again after a 410 newer than its registration."
  /// Number of pushes that may have waited in a queue, or been the first of a worker.
  static let forgiven = 3
  /// A push may have been on its way when the 410 was sent.
  private static let onItsWay: Duration = .seconds(1)

  package static func judge(_ variant: Witness, plain: Witness) -> [HuntFailure] {
    var cases = Cases<(push: WitnessedPush, after: [WitnessedPush])>()
    for token in variant.tokens {
      guard let found = pushesAfterEnd(of: token, variant) else { continue }
      cases.add("\(found.push.tokenKind) token", found)
    }
    return cases.groups.map { group in
      let worst = group.examples[0]
      let device = worst.push.address?.device.text ?? "?"
      return failure(
        group.subject,
        "\(counted(group.examples.count, group.subject)) got more than \(forgiven) pushes after a 410: that of"
          + " \(device) got \(worst.after.count) after \(worst.push.words(since: variant.began))",
        expectation: expectation(worst.push, worst.after, in: variant))
    }
  }

  /// An entry that allows few answers 410; or, if some of the pushes got other answers, fewer pushes than came here.
  private static func expectation(
    _ push: WitnessedPush, _ after: [WitnessedPush], in witness: Witness
  ) -> JSONValue? {
    guard let device = push.address?.device else { return nil }
    // The entry does not see pushes that were refused before anybody looked up their token.
    func isCounted(_ other: WitnessedPush) -> Bool {
      other.record.address?.device == device && other.tokenKind == push.tokenKind
    }
    let all = witness.pushes.filter(isCounted)
    let areRefused = all.count { $0.reason == .unregistered } > forgiven + 1
    let reason: [JSONValue.Member] = areRefused ? [.init("reason", "Unregistered")] : []
    let most = areRefused ? forgiven + 1 : all.count - max(0, after.count(where: isCounted) - forgiven)
    return [
      "name": "nobody pushes for long after a 410",
      "pushes": .object(
        [.init("device", .string(device.text)), .init("tokenKind", .string(push.tokenKind))] + reason),
      "count": .string("0..\(most)"),
    ]
  }

  /// The 410, and the pushes after it; nil if few came.
  private static func pushesAfterEnd(
    of token: String, _ witness: Witness
  ) -> (push: WitnessedPush, after: [WitnessedPush])? {
    let all = witness.pushes(to: token)
    let reports = witness.attempts(toReport: token)
    for (index, push) in all.enumerated() where push.status == 410 && push.isAnswered {
      let told = push.record.sentAt
      let registered = reports.last { $0.began <= told }
      guard isNewer(push, than: registered) else { continue }
      let again = reports.first { $0.began > told }?.began ?? .distantFuture
      let known = told.advanced(by: onItsWay)
      let after = all[(index + 1)...].filter { $0.at > known && $0.at < again && witness.isSurelySent($0, after: told) }
      if after.count > forgiven { return (push, after) }
    }
    return nil
  }

  private static func isNewer(_ push: WitnessedPush, than registered: Witness.Report?) -> Bool {
    guard let rejection = push.record.answer.rejection, let since = rejection.since else { return false }
    guard let registered else { return rejection.rule != nil }
    return since > registered.ended
  }
}
