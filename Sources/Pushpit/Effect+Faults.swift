import HTTP2
import Simulation
import Transport

extension Effect {
  /// What an order of the world means on a connection.
  static func of(_ order: WireOrder) -> [Effect] {
    switch order {
    case .respond(let stream, let response): [.respond(stream: stream, response)]
    case .reset(let stream, let code): [.reset(stream: stream, ErrorCode(rawValue: code))]
    case .goAway(let lastStream, let code, let debug, let closes):
      [.goAway(GoAway(lastStream: lastStream, ErrorCode(rawValue: code), debug: debug, closes: closes))]
    // Those beyond it that are open already are refused.
    case .streams(let count): [.limitStreams(count)]
    case .close: [.close]
    case .abort: [.abort]
    case .freeze(let answersPings): [.freeze(answersPings: answersPings)]
    case .thaw: [.thaw, .readSlowly(bytesPerSecond: nil)]
    case .readSlowly(let rate): [.readSlowly(bytesPerSecond: rate)]
    }
  }
}
