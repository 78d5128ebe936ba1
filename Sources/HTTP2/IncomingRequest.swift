import WireFormats

/// A complete request, and the stream of its answer.
package struct IncomingRequest: Sendable {
  package let stream: Int32
  package let request: HTTPRequest

  package init(stream: Int32, request: HTTPRequest) {
    self.stream = stream
    self.request = request
  }
}

/// A stream whose request was not handed over although the client did not cancel it: nothing of it was processed.
package struct UnservedStream: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// Beyond the limit on streams; it was reset with REFUSED_STREAM.
    case refused
    /// The connection exceeds its memory limit for requests and answers; the stream was reset with REFUSED_STREAM.
    case noRoom
    /// The request was invalid; the stream was reset with PROTOCOL_ERROR. Reported for the first such stream of a
    /// connection, the tenth, the hundredth and so on.
    case malformed(String, count: Int)
    /// The stream was open when a GOAWAY named a lower last stream.
    case aboveLastStream
  }

  package let stream: Int32
  package let why: Reason

  package init(_ stream: Int32, _ why: Reason) {
    self.stream = stream
    self.why = why
  }
}
