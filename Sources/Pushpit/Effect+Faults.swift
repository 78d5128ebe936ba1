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
    case .streams(let count): [.announceStreams(count)]
    case .close: [.close]
    case .abort: [.abort]
    // The transport learns these next.
    case .freeze, .thaw, .readSlowly: []
    }
  }
}
