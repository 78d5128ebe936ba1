/// The progress of an answer that was not sent completely in the turn in which it was given.
package struct AnswerReport: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The fields were sent; the body waits for the client's windows.
    case waitsForWindow
    /// The answer waits on a frozen connection.
    case waitsFrozen
    /// The answer had to wait, and has been sent.
    case left
    /// The fields were sent, but the body never will be.
    case cut
    /// The client reset the stream before anything was sent.
    case clientReset
    /// The stream is above the last stream of a GOAWAY.
    case leftOut
    /// The connection ended before anything was sent.
    case lost
  }

  package let stream: Int32
  package let kind: Kind

  package init(_ stream: Int32, _ kind: Kind) {
    self.stream = stream
    self.kind = kind
  }
}
