import APNs
import Grammar
import WireFormats

struct CloseFault: ConnectionFaultKind {
  static let shape = Shape<Self>(members: [
    .flag("close", "Close the connection gracefully when everything is answered.")
  ])

  func strike(stream: Int32) -> ConnectionStrike { ConnectionStrike(commands: [.close]) }
}

extension ConnectionFault {
  package static let close = ConnectionFault(CloseFault())
}
