import Simulation

extension WorldEvent {
  /// True if the event concerns the connection.
  func isAbout(_ connection: ProviderConnectionID) -> Bool {
    switch self {
    case .push(let record): record.stream.connection == connection
    case .channels(let record): record.stream.connection == connection
    case .streamsAllowed(let own), .wire(let own, _): own == connection
    default: false
    }
  }
}
