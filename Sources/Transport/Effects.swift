import HTTP2
import WireFormats

/// What is to happen on one connection next.
package enum Effect: Sendable {
  case respond(stream: Int32, HTTPResponse)
  /// A new MAX_CONCURRENT_STREAMS; it leaves before the answers that follow it here.
  case announceStreams(Int)
  /// The same, and where it `refusesOpen` the client is held to it at once: streams beyond it whose requests were not
  /// handed over, the newest first, are refused (RST_STREAM, REFUSED_STREAM), and so are later ones, until a higher
  /// number is announced.
  ///
  /// With a surplus, the first stream beyond it gets the whole connection a GOAWAY instead.
  case limitStreams(Int, refusesOpen: Bool = true, excessStreams: ExcessStreams? = nil)
  case reset(stream: Int32, ErrorCode)
  case goAway(GoAway)
  case ping
  /// An answer whose body leaves in several DATA frames, or whose stream does not end.
  indirect case respondSplit(stream: Int32, HTTPResponse, BodySplit)
  /// A new INITIAL_WINDOW_SIZE, in bytes. While `withheld`, no WINDOW_UPDATE leaves.
  case window(Int, withheld: Bool)
  /// Read no faster than this; nil is as fast as can be.
  case readSlowly(bytesPerSecond: Int?)
  /// Write nothing, and read nothing but PINGs, if those are answered. The connection stays open until the client
  /// goes; only `thaw` and `abort` have an effect at once, all else waits for the thaw.
  case freeze(answersPings: Bool)
  case thaw
  /// Close once everything before it is written: TLS's goodbye, then FIN. The client's FIN is waited for only shortly.
  case close
  /// Shut the write side once everything before it is written (FIN); what the client sends is read and forgotten until
  /// it goes. Without TLS's goodbye it is what a client sees of a program that died.
  case halfClose(saysGoodbye: Bool)
  /// Break off at once: the client sees a reset connection.
  case abort
}

/// A GOAWAY frame, and what comes after it.
package struct GoAway: Hashable, Sendable {
  /// The last stream that will be answered; nil stands for the last one begun. Streams above it are forgotten without
  /// a word, open ones and later ones. It is sent as given, though a second GOAWAY should not raise it (RFC 9113
  /// section 6.8).
  package var lastStream: Int32?
  package var code: ErrorCode
  package var debug: [UInt8]
  /// Whether the connection closes when the last answer is out. Observed: Apple leaves some open for minutes
  /// (docs/behavior/connections.md#goaway).
  package var closes: Bool

  package init(lastStream: Int32? = nil, _ code: ErrorCode, debug: [UInt8] = [], closes: Bool = true) {
    self.lastStream = lastStream
    self.code = code
    self.debug = debug
    self.closes = closes
  }
}

/// An ordered list of effects. Its storage is used again from batch to batch.
package struct Effects: Sendable {
  package private(set) var list: [Effect] = []

  package init() {}

  package var isEmpty: Bool { list.isEmpty }

  package mutating func append(_ effect: Effect) { list.append(effect) }

  package mutating func respond(_ stream: Int32, _ response: HTTPResponse) {
    list.append(.respond(stream: stream, response))
  }

  mutating func clear() { list.removeAll(keepingCapacity: true) }
}
