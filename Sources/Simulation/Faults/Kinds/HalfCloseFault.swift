import APNs
import Grammar
import WireFormats

struct HalfCloseFault: ConnectionFaultKind {
  static let shape = Shape<Self>(members: [
    .flag("halfClose", "Send a FIN: nothing more is written, and what the client sends is read and ignored."),
    .usual("goodbye", at: \.sendsCloseNotify, as: .truth, is: true, "Send TLS close_notify before it."),
  ])

  var sendsCloseNotify = true

  func strike(stream: Int32) -> ConnectionStrike {
    ConnectionStrike(commands: [.halfClose(sendsCloseNotify: sendsCloseNotify)])
  }
}

extension ConnectionFault {
  package static func halfClose(sendsCloseNotify: Bool) -> ConnectionFault {
    ConnectionFault(HalfCloseFault(sendsCloseNotify: sendsCloseNotify))
  }
}
