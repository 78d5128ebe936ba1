import HTTP2
import WireFormats

/// What is to happen on one connection next.
package enum Effect: Sendable {
  case respond(stream: Int32, HTTPResponse)
  /// A new MAX_CONCURRENT_STREAMS; it leaves before the answers that follow it here.
  case announceStreams(Int)
  case reset(stream: Int32, ErrorCode)
  case goAway(GoAway)
  case ping
  /// Close once everything before it is written.
  case close
  /// Break off at once: the client sees a reset connection.
  case abort
}

/// A GOAWAY frame, and what comes after it.
package struct GoAway: Hashable, Sendable {
  /// The last stream that will be answered; nil stands for the last one begun.
  package var lastStream: Int32?
  package var code: ErrorCode
  package var debug: [UInt8]
  /// Whether the connection closes when the last answer is out. Observed: Apple leaves some open for minutes
  /// (reference 1.6).
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
