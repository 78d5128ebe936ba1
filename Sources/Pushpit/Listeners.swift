import APNs
import Configuration
import Transport

extension Settings {
  /// The address of a listener.
  func host(of tag: Int) -> String { Listeners.environment(tag) == .production ? productionHost ?? host : host }
}

/// The numbers of the listeners that providers connect to.
enum Listeners {
  static let sandbox = 0
  static let production = 1
  static let channels = 2
  static let productionChannels = 3
  /// The admin API is not a push listener, but its troubles need a number.
  static let admin = 4
  /// Load balancers, which end TLS; requests are the sandbox's.
  static let relay = 5

  static func environment(_ tag: Int) -> Environment {
    tag == production || tag == productionChannels ? .production : .sandbox
  }

  /// Returns the purpose of a listener, and the flag of its port.
  static func described(_ tag: Int) -> String {
    switch tag {
    case sandbox: "the sandbox (--port)"
    case production: "production (--production-port)"
    case channels: "the sandbox's channel management (--channels-port)"
    case productionChannels: "production's channel management (--production-channels-port)"
    case relay: "relays (--relay)"
    default: "the admin API (--admin-port)"
    }
  }

  /// The reason why a listener cannot be opened.
  ///
  /// - Parameter others: the listeners that are open.
  static func failure(_ failure: ListenFailure, at tag: Int, others: [PushListener]) -> StartFailure {
    let name = described(tag)
    if case .portInUse(let host, let port) = failure,
      let other = others.first(where: { $0.port == port && $0.host == host })
    {
      return StartFailure(
        "Port \(port) cannot be used for \(name), because \(described(other.tag)) already uses it; give each its own"
          + " port, or 0 for any free port, or give production its own address (--production-host).")
    }
    if case .portInUse = failure {
      return StartFailure("No port for \(name): \(failure). --ports 0 chooses free ports for all.")
    }
    return StartFailure("No port for \(name): \(failure).")
  }

  /// Opens a listener, or throws why it cannot be opened.
  ///
  /// - Parameter others: has the listeners that are open.
  static func opening<Listener>(
    _ tag: Int, others: PushServer, _ open: () throws(ListenFailure) -> Listener
  ) throws(StartFailure) -> Listener {
    do throws(ListenFailure) { return try open() } catch {
      throw failure(error, at: tag, others: others.listeners)
    }
  }

  /// Opens the listener for relays, if the settings have one.
  static func openRelay(_ settings: Settings, on pushes: PushServer) throws(StartFailure) -> String? {
    guard let address = settings.relay else { return nil }
    return try opening(relay, others: pushes) { () throws(ListenFailure) in
      switch address {
      case .path(let path):
        try pushes.listenToRelays(tag: relay, at: BoundSocket(path: path))
        return path
      case .port(let host, let port):
        let bound = try BoundSocket(host: host, port: Int(port))
        let listener = try pushes.listenToRelays(tag: relay, at: bound)
        return RelayAddress.port(host: host, UInt16(clamping: listener.port)).text
      }
    }
  }

  /// True if the listener's connections manage channels and do not accept pushes.
  static func managesChannels(_ tag: Int) -> Bool { tag == channels || tag == productionChannels }
}

extension ConnectionTrouble.Kind {
  /// A short name for metrics and the list of troubles.
  var name: String {
    switch self {
    case .handshake(.certificate): "certificate"
    case .handshake: "handshake"
    case .http1: "http1"
    case .badPreface: "garbage"
    case .protocolError: "protocolError"
    case .flooded: "flooded"
    case .tooManyConnections: "tooManyConnections"
    case .cannotListenAgain: "cannotListenAgain"
    case .tooManyAdminConnections: "tooManyAdminConnections"
    case .outOfDescriptors: "outOfDescriptors"
    case .idle: "idle"
    case .neverReads: "neverReads"
    case .broken: "broken"
    case .relay: "relay"
    }
  }
}
