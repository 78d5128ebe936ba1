import Simulation

extension WorldEvent {
  /// Whether it is the wire of that connection that has something to do.
  func isAbout(_ connection: ProviderConnectionID) -> Bool {
    switch self {
    case .push(let record): record.stream.connection == connection
    case .channels(let record): record.stream.connection == connection
    case .streamsAllowed(let own), .wire(let own, _): own == connection
    default: false
    }
  }
}
