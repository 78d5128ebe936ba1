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
/// known.
package enum DeadTokenPushed: Oracle {
  package static let name = "deadTokenPushed"
  package static let meaning = "A token is pushed to again and again after a 410 newer than its registration."
  private static let forgiven = 3
  /// A push may have been on its way when the 410 was sent.
  private static let onItsWay: Duration = .seconds(1)

  package static func judge(_ variant: Witness, plain: Witness) -> [HuntFailure] {
    var cases = Cases<(push: WitnessedPush, count: Int)>()
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
          + " \(device) got \(worst.count) after \(worst.push.words(since: variant.began))",
        expectation: expectation(after: worst.push, count: worst.count, in: variant))
    }
  }

  /// An entry that allows few answers 410; or, if some of the pushes got other answers, fewer pushes than came here.
  private static func expectation(after push: WitnessedPush, count: Int, in witness: Witness) -> JSONValue? {
    guard let device = push.address?.device else { return nil }
    let all = witness.pushes.filter { $0.address?.device == device && $0.tokenKind == push.tokenKind }
    let areRefused = all.count { $0.reason == .unregistered } > forgiven + 1
    let reason: [JSONValue.Member] = areRefused ? [.init("reason", "Unregistered")] : []
    let most = areRefused ? forgiven + 1 : all.count - (count - forgiven)
    return [
      "name": "nobody pushes for long after a 410",
      "pushes": .object(
        [.init("device", .string(device.text)), .init("tokenKind", .string(push.tokenKind))] + reason),
      "count": .string("0..\(most)"),
    ]
  }

  /// The 410, and the number of pushes after it; nil if few came.
  private static func pushesAfterEnd(of token: String, _ witness: Witness) -> (push: WitnessedPush, count: Int)? {
    let all = witness.pushes(to: token)
    let reports = witness.reports(of: token)
    for (index, push) in all.enumerated() where push.status == 410 && push.isAnswered {
      let told = push.record.sentAt
      let registered = reports.last { $0.began <= told }
      guard isNewer(push, than: registered) else { continue }
      let again = reports.first { $0.began > told }?.began ?? .distantFuture
      let known = told.advanced(by: max(onItsWay, witness.longestWay))
      let after = all[(index + 1)...].filter { $0.at > known && $0.at < again }
      if after.count > forgiven { return (push, after.count) }
    }
    return nil
  }

  private static func isNewer(_ push: WitnessedPush, than registered: Witness.Report?) -> Bool {
    guard let rejection = push.record.answer.rejection, let since = rejection.since else { return false }
    guard let registered else { return rejection.rule != nil }
    return since > registered.accepted
  }
}
