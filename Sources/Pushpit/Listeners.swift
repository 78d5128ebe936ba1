import APNs
import Transport

/// The numbers of the listeners that providers connect to.
enum Listeners {
  static let sandbox = 0
  static let production = 1
  static let channels = 2
  static let productionChannels = 3
  /// No push listener, but the number its troubles go by.
  static let admin = 4

  static func environment(_ tag: Int) -> Environment {
    tag == production || tag == productionChannels ? .production : .sandbox
  }

  /// Whether its connections manage channels, and take no pushes.
  static func managesChannels(_ tag: Int) -> Bool { tag == channels || tag == productionChannels }
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
    case .cannotListenAgain: "cannotListenAgain"
    case .outOfDescriptors: "outOfDescriptors"
    case .idle: "idle"
    case .neverReads: "neverReads"
    case .broken: "broken"
    }
  }
}
