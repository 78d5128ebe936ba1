import APNs
import Reporting
import Simulation
import Timeline
import WireFormats

/// The backend dies or hangs, or answers apps with errors of its own.
///
/// Could have been right: always. Whatever APNs and phones do, a backend goes on, and tells an app that its request was
/// received; 5xx says itself that the server is at fault (RFC 9110 section 15.6). Not counted: calls that a fault has
/// failed before they reached the backend, calls to one that was stopped, and 5xx that it also answers without trouble.
///
/// Not judged: a backend that hangs at a tick while a fault withholds its streams, its window or the gateway's listener
/// until a later time of the story, which may stand until the tick is answered.
package enum BackendFails: Oracle {
  package static let name = "backendFails"
  package static let meaning = "The backend dies, hangs, or answers an app with 5xx."

  package static func judge(_ variant: Witness, plain: Witness) -> [HuntFailure] {
    var failures: [HuntFailure] = []
    let waitsForTime = variant.hangs && variant.faults.contains { withholds($0, variant) }
    if let ended = variant.ended, plain.ended == nil, !waitsForTime { failures.append(failure("the backend", ended)) }
    let before = errors(plain)
    for (call, examples) in errors(variant).sorted(by: { $0.key < $1.key }) {
      let usual = before[call]?.count ?? 0
      guard examples.count > usual, let first = examples.last, let status = first.outcome.status else { continue }
      let time = DurationText.write(variant.passed(at: first.began))
      failures.append(
        failure(
          call,
          "the backend answers \(counted(examples.count - usual, "call")) at \(first.event) with \(status), the first"
            + " at \(time) from \(first.device.text)",
          expectation: [
            "name": .string("calls at \(call)"),
            "calls": ["event": .string(first.event), "status": JSONValue(status)], "count": .string("0..\(usual)"),
          ]))
    }
    return failures
  }

  /// True if the fault has taken streams, the window or the listener away, and has not returned them by the end.
  private static func withholds(_ fault: Fault, _ witness: Witness) -> Bool {
    let consequence = fault.consequence.json
    if consequence["listener"] != nil {
      return fault.from.map { $0 <= witness.end } ?? true && witness.end < fault.until ?? witness.quietBegin
    }
    guard consequence["back"] != nil, witness.struckFaults.contains(fault.name) else { return false }
    let after = consequence["after"]?.string.flatMap(DurationText.parse) ?? .seconds(1)
    let last = witness.pushes.last { $0.record.fault == fault.name }
    return last.map { witness.end <= $0.at.advanced(by: after) } ?? true
  }

  /// By what was called and answered; newest first.
  private static func errors(_ witness: Witness) -> [String: [CallEnd]] {
    var errors: [String: [CallEnd]] = [:]
    for end in witness.calls.reversed() {
      guard let status = end.outcome.status, status >= 500, !witness.isRestarting(at: end.at) else { continue }
      errors["\(end.event) answered \(status)", default: []].append(end)
    }
    return errors
  }
}
