import HTTP2

/// Who receives what the listeners hear. Called on the threads of the loops, several at once.
package protocol PushSink: AnyObject, Sendable {
  /// A handshake is done. Effects are applied right after the SETTINGS frame.
  func opened(_ connection: ConnectionInfo, into effects: inout Effects) -> ConnectionSetup

  /// All requests of one read, in the order they ended. Effects are applied in order and written together.
  ///
  /// - Parameter state: what `opened` gave.
  /// - Returns: how many of them were taken, at least one. The effects come first and may refuse some of the others;
  ///   what is left is handed over again.
  func received(
    _ requests: [IncomingRequest], on connection: ConnectionID, token: UInt64, state: AnyObject?,
    into effects: inout Effects
  ) -> Int

  /// The client reset these streams before they were answered; an answer would be dropped.
  func cancelled(_ streams: [Int32], on connection: ConnectionID, token: UInt64)

  /// What became of answers that did not simply leave. It may come after `closed`, for answers given meanwhile.
  func answers(_ reports: [AnswerReport], on connection: ConnectionID, token: UInt64)

  /// The client opened these streams though a GOAWAY had said that they would not be served; nobody answers them.
  func ignored(_ streams: [Int32], on connection: ConnectionID, token: UInt64)

  /// These streams were refused before their requests were handed over; nothing of them was processed.
  func unserved(_ streams: [UnservedStream], on connection: ConnectionID, token: UInt64)

  /// The last word about a connection that was opened.
  func closed(_ connection: ConnectionID, token: UInt64, why: CloseReason)

  /// Something a person who sets up a client would want to read.
  func trouble(_ trouble: ConnectionTrouble)
}

extension PushSink {
  package func answers(_ reports: [AnswerReport], on connection: ConnectionID, token: UInt64) {}
  package func ignored(_ streams: [Int32], on connection: ConnectionID, token: UInt64) {}
  package func unserved(_ streams: [UnservedStream], on connection: ConnectionID, token: UInt64) {}
}
