import HTTP2
import Simulation
import Transport

extension Effect {
  /// Translates an order of the world into effects on a connection.
  static func of(_ order: WireCommand) -> [Effect] {
    switch order {
    case .respond(let stream, let response): [.respond(stream: stream, response)]
    case .respondInPieces(let stream, let response, let pieces):
      [.respondSplit(stream: stream, response, BodySplit(pieces))]
    case .reset(let stream, let code): [.reset(stream: stream, ErrorCode(rawValue: code))]
    case .goAway(let lastStream, let code, let debug, let closes):
      [.goAway(GoAway(lastStream: lastStream, ErrorCode(rawValue: code), debug: debug, closes: closes))]
    case .streams(let count, let open, let excessStreams):
      [
        .limitStreams(
          count, refusesOpen: open == .refuse,
          excessStreams: excessStreams.map { ExcessStreams(ErrorCode(rawValue: $0.code), debug: $0.debug) })
      ]
    case .restoreStreamLimit: [.restoreStreamLimit]
    case .window(let bytes, let withheld): [.window(bytes, withheld: withheld)]
    case .close: [.close]
    case .halfClose(let sendsCloseNotify): [.halfClose(sendsCloseNotify: sendsCloseNotify)]
    case .abort: [.abort]
    case .freeze(let answersPings): [.freeze(answersPings: answersPings)]
    case .thaw: [.thaw]
    case .readSlowly(let rate): [.readSlowly(bytesPerSecond: rate)]
    }
  }
}

extension BodySplit {
  fileprivate init(_ pieces: FaultBodySplit) {
    let end: End =
      switch pieces.end {
      case .last: .withLastPiece
      case .apart: .apart
      case .never: .never
      }
    self.init(sizes: pieces.sizes, end: end, pause: pieces.pause)
  }
}
