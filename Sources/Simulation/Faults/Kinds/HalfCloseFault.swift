import APNs
import Grammar
import WireFormats

/// FIN in one direction: nothing more is written, and what the client sends is read and ignored.
struct HalfCloseFault: ConnectionFaultKind {
  static let word = "halfClose"
  static let details = [FaultMember("goodbye", .truth)]

  /// TLS close_notify is sent before the FIN.
  var saysGoodbye: Bool

  func strike(stream: Int32) -> ConnectionStrike {
    ConnectionStrike(commands: [.halfClose(saysGoodbye: saysGoodbye)])
  }
}

extension HalfCloseFault {
  init(_ fields: Fields) throws(InputProblem) { saysGoodbye = try fields.truth("goodbye") ?? true }

  func put(into object: inout ObjectWriter) {
    object.put(Self.word, if: true)
    if !saysGoodbye { object.put("goodbye", JSONValue.bool(false)) }
  }
}

extension ConnectionFault {
  package static func halfClose(saysGoodbye: Bool) -> ConnectionFault {
    ConnectionFault(HalfCloseFault(saysGoodbye: saysGoodbye))
  }
}
