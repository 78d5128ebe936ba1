import APNs
import Transport

/// The numbers of the push listeners.
enum Listeners {
  static let sandbox = 0
  static let production = 1
  /// No push listener, but the number its troubles go by.
  static let admin = 2

  static func environment(_ tag: Int) -> Environment { tag == production ? .production : .sandbox }
}

extension Transport.Trouble.Kind {
  /// A short name for metrics and for the list of troubles.
  var name: String {
    switch self {
    case .handshake: "handshake"
    case .http1: "http1"
    case .badPreface: "garbage"
    case .protocolError: "protocolError"
    case .flooded: "flooded"
    case .tooManyConnections: "tooManyConnections"
    case .outOfDescriptors: "outOfDescriptors"
    case .idle: "idle"
    case .neverReads: "neverReads"
    case .broken: "broken"
    }
  }
}
