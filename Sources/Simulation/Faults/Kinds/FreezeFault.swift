import APNs
import Grammar
import Timeline
import WireFormats

struct FreezeFault: LastingConnectionFault {
  static let shape = Shape<Self>(members: [
    .flag("freeze", "Read and answer nothing, but keep the connection open."),
    .usual("pings", at: \.answersPings, as: .truth, is: false, "Answer PINGs nevertheless."),
  ])

  var answersPings = false

  func strike(stream: Int32) -> ConnectionStrike { ConnectionStrike(push: .lost(.connectionFrozen), lasting: self) }

  func apply(to conditions: inout ConnectionConditions, by fault: Fault) {
    conditions.set(.freeze(answersPings: answersPings), without: .thaw)
  }
}

extension ConnectionFault {
  package static func freeze(answersPings: Bool) -> ConnectionFault {
    ConnectionFault(FreezeFault(answersPings: answersPings))
  }
}
