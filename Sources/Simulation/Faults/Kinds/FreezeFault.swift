import APNs
import Grammar
import Timeline

/// Reads and answers nothing, but keeps the connection open.
struct FreezeFault: LastingConnectionFault {
  static let word = "freeze"
  static let details = [FaultMember.pings]

  var answersPings: Bool

  func strike(stream: Int32) -> ConnectionStrike { ConnectionStrike(push: .lost(.connectionFrozen), lasting: self) }

  func apply(to conditions: inout ConnectionConditions, by fault: Fault) {
    conditions.set(.freeze(answersPings: answersPings), without: .thaw)
  }
}

extension FreezeFault {
  init(_ fields: Fields) throws(InputProblem) { answersPings = try fields.truth("pings") ?? false }

  func put(into object: inout ObjectWriter) {
    object.put(Self.word, if: true)
    object.put("pings", if: answersPings)
  }
}

extension ConnectionFault {
  package static func freeze(answersPings: Bool) -> ConnectionFault {
    ConnectionFault(FreezeFault(answersPings: answersPings))
  }
}
