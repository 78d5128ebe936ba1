import APNs
import Grammar
import WireFormats

struct RejectAllFault: LastingConnectionFault {
  static let shape = Shape<Self>(
    members: [
      .needed(
        "answerAll", at: \.reason, as: .word(as: .reason),
        "Reject this push and every later one on the connection; with a session, every later one of the session.")
    ])

  var reason = RejectionReason.badDeviceToken

  func strike(stream: Int32) -> ConnectionStrike { ConnectionStrike(push: .refused(reason), lasting: self) }

  func apply(to conditions: inout ConnectionConditions, by fault: Fault) {
    let scope = fault.condition.scope
    conditions.rejecting.append(
      .init(reason: reason, fault: fault.label, scope: scope, matcher: scope.map { Matcher($0) }))
  }
}

extension ConnectionFault {
  package static func rejectAll(_ reason: RejectionReason) -> ConnectionFault {
    ConnectionFault(RejectAllFault(reason: reason))
  }
}
