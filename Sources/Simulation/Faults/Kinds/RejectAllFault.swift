import APNs
import Grammar

/// Rejects this push and every later one on the connection; with a session, every later one of the session.
struct RejectAllFault: LastingConnectionFault {
  static let word = "answerAll"
  static let type = ValueType.reasons

  var reason: RejectionReason

  func strike(stream: Int32) -> ConnectionStrike { ConnectionStrike(push: .refused(reason), lasting: self) }

  func apply(to conditions: inout ConnectionConditions, by fault: Fault) {
    let scope = fault.condition.scope
    conditions.rejecting.append(
      .init(reason: reason, fault: fault.label, scope: scope, matcher: scope.map { Matcher($0) }))
  }
}

extension RejectAllFault {
  init(_ fields: Fields) throws(InputProblem) { reason = try fields.reason(Self.word) }

  func put(into object: inout ObjectWriter) { object.put(Self.word, reason.rawValue) }
}

extension ConnectionFault {
  package static func rejectAll(_ reason: RejectionReason) -> ConnectionFault {
    ConnectionFault(RejectAllFault(reason: reason))
  }
}
