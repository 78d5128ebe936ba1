import APNs
import Grammar
import WireFormats

struct AbortFault: ConnectionFaultKind {
  static let shape = Shape<Self>(members: [.flag("abort", "Abort the connection: the client sees a reset.")])

  func strike(stream: Int32) -> ConnectionStrike {
    ConnectionStrike(push: .lost(.connectionAborted), commands: [.abort])
  }
}

extension ConnectionFault {
  package static let abort = ConnectionFault(AbortFault())
}
