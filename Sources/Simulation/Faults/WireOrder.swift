import WireFormats

/// What the wire is to do on a connection, beside the plain answers to pushes.
package enum WireOrder: Hashable, Sendable {
  case respond(stream: Int32, HTTPResponse)
  case respondInPieces(stream: Int32, HTTPResponse, FaultPieces)
  case reset(stream: Int32, code: UInt32)
  /// `lastStream` nil stands for the last one begun.
  case goAway(lastStream: Int32?, code: UInt32, debug: [UInt8], closes: Bool)
  case streams(Int, open: ConnectionFault.OpenStreams, surplus: SurplusGoAway?)
  /// The number that an authorised client is told without any fault.
  case streamsAsBefore
  case window(Int, withheld: Bool)
  case freeze(answersPings: Bool)
  case thaw
  /// Nil is as fast as can be.
  case readSlowly(bytesPerSecond: Int?)
  case close
  case halfClose(saysGoodbye: Bool)
  case abort
}

extension WireOrder {
  /// Its name in events.
  package var name: String {
    switch self {
    case .respond: "respond"
    case .respondInPieces: "respondInPieces"
    case .reset: "reset"
    case .goAway: "goAway"
    case .streams: "streams"
    case .streamsAsBefore: "streamsAsBefore"
    case .window: "window"
    case .freeze: "freeze"
    case .thaw: "thaw"
    case .readSlowly: "readSlowly"
    case .close: "close"
    case .halfClose: "halfClose"
    case .abort: "abort"
    }
  }
}

extension Event {
  /// Whether it changes which streams of a connection are served.
  func limitsStreams(of connection: ConnectionID) -> Bool {
    switch self {
    case .wire(connection, .streams), .wire(connection, .goAway): true
    default: false
    }
  }
}
