import HTTP2

/// Delegate for connection and request events. Called on the threads of the loops, several at once.
package protocol PushSink: AnyObject, Sendable {
  /// The alert by which a client's certificate ends its handshake; nil to accept the certificate.
  func alert(for certificate: ClientCertificate, on listener: Int) -> CertificateAlert?

  /// A handshake is complete. Effects are applied right after the SETTINGS frame.
  func opened(_ connection: ConnectionInfo, into effects: inout Effects) -> ConnectionSetup

  /// All requests of one read, in the order of their end. Effects are applied in order and written together.
  ///
  /// - Parameter state: the value given by `opened`.
  /// - Returns: how many of them were accepted, at least one. The effects are applied first and may refuse some of the
  ///   others; the rest is passed again.
  func received(
    _ requests: [IncomingRequest], on connection: ConnectionID, token: UInt64, state: AnyObject?,
    into effects: inout Effects
  ) -> Int

  /// The client reset these streams before they were answered; an answer would be dropped.
  func cancelled(_ streams: [Int32], on connection: ConnectionID, token: UInt64)

  /// Answers that were not sent at once. May be called after `closed`, for answers given meanwhile.
  func answers(_ reports: [AnswerReport], on connection: ConnectionID, token: UInt64)

  /// The client opened these streams above the last stream of a GOAWAY; they are not answered.
  func ignored(_ streams: [Int32], on connection: ConnectionID, token: UInt64)

  /// Reports streams that were refused before their requests were handed over; nothing of them was processed.
  func unserved(_ streams: [UnservedStream], on connection: ConnectionID, token: UInt64)

  /// The last call about a connection that was opened.
  func closed(_ connection: ConnectionID, token: UInt64, why: CloseReason)

  /// A problem that a client's developer should know.
  func trouble(_ trouble: ConnectionTrouble)
}

extension PushSink {
  package func alert(for certificate: ClientCertificate, on listener: Int) -> CertificateAlert? { nil }
  package func answers(_ reports: [AnswerReport], on connection: ConnectionID, token: UInt64) {}
  package func ignored(_ streams: [Int32], on connection: ConnectionID, token: UInt64) {}
  package func unserved(_ streams: [UnservedStream], on connection: ConnectionID, token: UInt64) {}
}
