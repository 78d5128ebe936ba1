import APNs
import Grammar

/// Aborts the connection: the client sees a reset.
struct AbortFault: ConnectionFaultKind {
  static let word = "abort"

  func strike(stream: Int32) -> ConnectionStrike {
    ConnectionStrike(push: .lost(.connectionAborted), commands: [.abort])
  }
}

extension AbortFault {
  init(_ fields: Fields) {}

  func put(into object: inout ObjectWriter) { object.put(Self.word, if: true) }
}

extension ConnectionFault {
  package static let abort = ConnectionFault(AbortFault())
}
