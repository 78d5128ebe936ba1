import Grammar
import Simulation
import Timeline
import WireFormats

/// One request while the admin service answers it.
struct AdminContext {
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
  private var events: [WorldEvent] = []

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

  /// Reads the body: a JSON object with the keys that are known.
  ///
  /// - Parameter answered: keys that answers of the same thing have beside them.
  func read<Value>(
    _ known: [String], answered: [String] = [], _ body: (Fields) throws(InputProblem) -> Value
  ) throws(AdminProblem) -> Value {
    guard !request.body.isEmpty else {
      throw AdminProblem(400, "This request needs a body: a JSON object with \(Wording.list(known, "or")).")
    }
    let value: JSONValue
    do throws(JSONProblem) {
      value = try request.json.get()
    } catch {
      throw AdminProblem(400, "The body is not JSON: \(error.description)")
    }
    do throws(InputProblem) {
      return try body(Fields(SourceNode(value), "The body", known: known, answered: answered))
    } catch {
      throw AdminProblem(error)
    }
  }

  /// Shows the readers what has happened, and keeps it for the wire.
  @discardableResult
  mutating func settle(_ simulator: inout Simulator) -> [WorldEvent] {
    let settled = simulator.settle()
    events += settled
    return settled
  }

  /// What the wire has yet to see.
  mutating func takeEvents() -> [WorldEvent] {
    defer { events = [] }
    return events
  }
}
