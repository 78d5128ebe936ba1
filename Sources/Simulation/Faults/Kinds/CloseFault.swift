import APNs
import Grammar

/// Closes the connection gracefully when everything is answered.
struct CloseFault: ConnectionFaultKind {
  static let word = "close"

  func strike(stream: Int32) -> ConnectionStrike { ConnectionStrike(commands: [.close]) }
}

extension CloseFault {
  init(_ fields: Fields) {}

  func put(into object: inout ObjectWriter) { object.put(Self.word, if: true) }
}

extension ConnectionFault {
  package static let close = ConnectionFault(CloseFault())
}
