import APNs
import Grammar
import WireFormats

/// FIN in one direction: nothing more is written, and what the client sends is read and ignored.
struct HalfCloseFault: ConnectionFaultKind {
  static let word = "halfClose"
  static let details = [FaultMember("goodbye", .truth)]

  /// True if TLS close_notify is sent before the FIN.
  var sendsCloseNotify: Bool

  func strike(stream: Int32) -> ConnectionStrike {
    ConnectionStrike(commands: [.halfClose(sendsCloseNotify: sendsCloseNotify)])
  }
}

extension HalfCloseFault {
  init(_ fields: Fields) throws(InputProblem) { sendsCloseNotify = try fields.truth("goodbye") ?? true }

  func put(into object: inout ObjectWriter) {
    object.put(Self.word, if: true)
    if !sendsCloseNotify { object.put("goodbye", JSONValue.bool(false)) }
  }
}

extension ConnectionFault {
  package static func halfClose(sendsCloseNotify: Bool) -> ConnectionFault {
    ConnectionFault(HalfCloseFault(sendsCloseNotify: sendsCloseNotify))
  }
}
