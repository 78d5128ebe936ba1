import Simulation
import Timeline
import WireFormats

/// One request on its way through the desk.
struct Visit {
  let request: AdminRequest
  let version: String
  /// What the server's ready line says.
  let server: @Sendable () -> JSONValue
  /// When the hold of the lock began.
  var wall: Instant
  let readExpectation: ExpectationReading
  /// What stood in the places of the path, in their order.
  var captures: [String] = []
  var query = Query.empty
  private var events: [Event] = []

  init(
    request: AdminRequest, version: String, server: @escaping @Sendable () -> JSONValue, wall: Instant,
    readExpectation: @escaping ExpectationReading
  ) {
    self.server = server
    self.request = request
    self.version = version
    self.wall = wall
    self.readExpectation = readExpectation
  }

  /// Shows the readers what has happened, and keeps it for the wire.
  @discardableResult
  mutating func settle(_ station: inout Station) -> [Event] {
    let settled = station.settle()
    events += settled
    return settled
  }

  /// What the wire has yet to see.
  mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }
}
