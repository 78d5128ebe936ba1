import HTTP2
import WireFormats

/// The next operation on a connection.
package enum Effect: Sendable {
  case respond(stream: Int32, HTTPResponse)
  /// A new regular MAX_CONCURRENT_STREAMS; it is sent before the answers that follow in the list. While a limit of
  /// `limitStreams` is in force, it is sent when that is lifted.
  case announceStreams(Int)
  /// Another MAX_CONCURRENT_STREAMS, until `restoreStreamLimit`. With `refusesOpen`, the client is held to it at once:
  /// streams beyond it whose requests were not handed over are refused, newest first (RST_STREAM, REFUSED_STREAM), and
  /// so are later ones.
  ///
  /// With `excessStreams`, the first stream beyond it ends the whole connection with a GOAWAY instead.
  case limitStreams(Int, refusesOpen: Bool = true, excessStreams: ExcessStreams? = nil)
  /// Announces the regular MAX_CONCURRENT_STREAMS again.
  case restoreStreamLimit
  case reset(stream: Int32, ErrorCode)
  case goAway(GoAway)
  case ping
  /// An answer whose body is sent in several DATA frames, or whose stream is not ended.
  indirect case respondSplit(stream: Int32, HTTPResponse, BodySplit)
  /// A new INITIAL_WINDOW_SIZE, in bytes. While `withheld`, no WINDOW_UPDATE is sent.
  case window(Int, withheld: Bool)
  /// Limits the reading rate; nil for no limit.
  case readSlowly(bytesPerSecond: Int?)
  /// Writes nothing, and reads only PINGs if they are answered. The connection stays open until the client closes it.
  /// Only `thaw` and `abort` take effect at once; everything else waits for `thaw`.
  case freeze(answersPings: Bool)
  case thaw
  /// Closes once everything before it is written: TLS close_notify, then FIN. The client's FIN is awaited only briefly.
  case close
  /// Shuts the write side once everything before it is written (FIN); what the client sends is read and ignored until
  /// it closes. Without TLS close_notify, it looks like a program that died.
  case halfClose(sendsCloseNotify: Bool)
  /// Aborts at once: the client sees a reset connection.
  case abort
}

/// A GOAWAY frame, and what follows it.
package struct GoAway: Hashable, Sendable {
  /// The last stream that will be answered; nil for the last one begun. Open and later streams above it are dropped
  /// silently. It is sent as given, although a second GOAWAY should not raise it (RFC 9113 section 6.8).
  package var lastStream: Int32?
  package var code: ErrorCode
  package var debug: [UInt8]
  /// True if the connection closes after the last answer. Observed: Apple leaves some open for minutes
  /// (docs/behavior/connections.md#goaway).
  package var closes: Bool

  package init(lastStream: Int32? = nil, _ code: ErrorCode, debug: [UInt8] = [], closes: Bool = true) {
    self.lastStream = lastStream
    self.code = code
    self.debug = debug
    self.closes = closes
  }
}

/// An ordered list of effects. Its storage is reused.
package struct Effects: Sendable {
  package private(set) var list: [Effect] = []

  package init() {}

  package var isEmpty: Bool { list.isEmpty }

  package mutating func append(_ effect: Effect) { list.append(effect) }

  package mutating func respond(_ stream: Int32, _ response: consuming HTTPResponse) {
    list.append(.respond(stream: stream, response))
  }

  mutating func clear() { list.removeAll(keepingCapacity: true) }
}
