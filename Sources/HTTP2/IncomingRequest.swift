import WireFormats

/// A request that has arrived whole, and the stream its answer goes to.
package struct IncomingRequest: Sendable {
  package let stream: Int32
  package let request: HTTPRequest

  package init(stream: Int32, request: HTTPRequest) {
    self.stream = stream
    self.request = request
  }
}

/// A stream whose request was not handed out, though the client did not take it back: nothing of it was processed.
package struct UnservedStream: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
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
  package let why: Reason

  package init(_ stream: Int32, _ why: Reason) {
    self.stream = stream
    self.why = why
  }
}
