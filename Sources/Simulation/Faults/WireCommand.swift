import WireFormats

/// Commands for a connection, besides the plain answers to pushes.
package enum WireCommand: Hashable, Sendable {
  case respond(stream: Int32, HTTPResponse)
  case respondInPieces(stream: Int32, HTTPResponse, FaultBodySplit)
  case reset(stream: Int32, code: UInt32)
  /// `lastStream` nil means the last stream that was opened.
  case goAway(lastStream: Int32?, code: UInt32, debug: [UInt8], closes: Bool)
  case streams(Int, open: ConnectionFault.OpenStreams, excessStreams: ExcessStreamGoAway?)
  /// Restores the limit that an authorized client has without any fault.
  case restoreStreamLimit
  case window(Int, withheld: Bool)
  case freeze(answersPings: Bool)
  case thaw
  /// Nil for no limit.
  case readSlowly(bytesPerSecond: Int?)
  case close
  case halfClose(sendsCloseNotify: Bool)
  case abort
}

extension WireCommand {
  /// Name of the command in events.
  package var name: String {
    switch self {
    case .respond: "respond"
    case .respondInPieces: "respondInPieces"
    case .reset: "reset"
    case .goAway: "goAway"
    case .streams: "streams"
    case .restoreStreamLimit: "streamsAsBefore"
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

extension WorldEvent {
  /// True if it changes which streams of a connection are served.
  func limitsStreams(of connection: ProviderConnectionID) -> Bool {
    switch self {
    case .wire(connection, .streams), .wire(connection, .goAway): true
    default: false
    }
  }
}

/// The answer to a stream beyond the limit, instead of a refusal of that stream: GOAWAY, and the connection
/// ends.
///
/// Observed: Apple disconnected clients with code 7 and the text "maximum active streams" (pushy issue 356).
package struct ExcessStreamGoAway: Hashable, Sendable {
  package let code: UInt32
  package let debug: [UInt8]

  package init(code: UInt32, debug: [UInt8]) {
    self.code = code
    self.debug = debug
  }
}
