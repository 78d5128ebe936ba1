import WireFormats

/// What the wire is to do on a connection, beside the plain answers to pushes.
package enum WireOrder: Hashable, Sendable {
  case respond(stream: Int32, HTTPResponse)
  case reset(stream: Int32, code: UInt32)
  /// `lastStream` nil stands for the last one begun.
  case goAway(lastStream: Int32?, code: UInt32, debug: [UInt8], closes: Bool)
  case streams(Int)
  case freeze(answersPings: Bool)
  case thaw
  case readSlowly(bytesPerSecond: Int)
  case close
  case abort
}

extension WireOrder {
  /// Its name in events.
  package var name: String {
    switch self {
    case .respond: "respond"
    case .reset: "reset"
    case .goAway: "goAway"
    case .streams: "streams"
    case .freeze: "freeze"
    case .thaw: "thaw"
    case .readSlowly: "readSlowly"
    case .close: "close"
    case .abort: "abort"
    }
  }
}
