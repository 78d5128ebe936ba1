/// A stream whose request was not handed out, though the client did not take it back: nothing of it was processed.
package struct UnservedStream: Hashable, Sendable {
  package enum Why: Hashable, Sendable {
    /// Beyond the limit on streams; it was reset with REFUSED_STREAM.
    case refused
    /// The connection holds more in requests and answers than it may; it was reset with REFUSED_STREAM.
    case noRoom
    /// It was not HTTP; it was reset with PROTOCOL_ERROR. Told of the first such stream of a connection, and of the
    /// tenth, the hundredth and so on.
    case malformed(String, count: Int)
    /// It was open when a GOAWAY named a lower last stream.
    case aboveLastStream
  }

  package let stream: Int32
  package let why: Why

  package init(_ stream: Int32, _ why: Why) {
    self.stream = stream
    self.why = why
  }
}
