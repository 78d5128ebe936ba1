import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// A request while it is being answered.
struct AdminContext {
  let request: AdminRequest
  let version: String
  let server: @Sendable () -> ServerDescription
  /// The time at which the lock was taken.
  var wall = Instant.distantPast
  let readExpectation: ExpectationReading
  let readScenario: ScenarioReading
  let hunts: HuntRegistry
  /// The values of the path's placeholders, in order.
  var captures: [String] = []
  var query = Query.empty
  /// True if this request has changed the next time at which sessions need attention.
  var hasChangedSessions = false
  private var events: [WorldEvent] = []

  init(
    request: AdminRequest, version: String, server: @escaping @Sendable () -> ServerDescription,
    readExpectation: @escaping ExpectationReading, readScenario: @escaping ScenarioReading, hunts: HuntRegistry
  ) {
    self.server = server
    self.request = request
    self.version = version
    self.readExpectation = readExpectation
    self.readScenario = readScenario
    self.hunts = hunts
  }

  /// Reads the body: a JSON object with known keys.
  func read<Value>(
    _ body: RequestBody, _ read: (Fields) throws(InputProblem) -> Value
  ) throws(AdminProblem) -> Value {
    let (known, answered) = (body.keys, body.answered)
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
      return try read(
        Fields(SourceNode(try Self.few(value, known + answered)), "The body", known: known, answered: answered))
    } catch {
      throw AdminProblem(error)
    }
  }

  /// Rejects a body with more members than it has keys. It may have 100,000, which nobody reads with the lock.
  ///
  /// - Returns: the body, or one with the unknown key only.
  private static func few(_ body: JSONValue, _ keys: [String]) throws(InputProblem) -> JSONValue {
    guard let members = body.members, members.count > keys.count else { return body }
    if let stranger = members.first(where: { !keys.contains($0.key) }) { return .object([stranger]) }
    throw InputProblem("The body has a key more than once; it has \(members.count) keys.")
  }

  /// Passes events to the readers, and keeps them for the wire.
  @discardableResult
  mutating func settle(_ simulator: inout Simulator) -> [WorldEvent] {
    let settled = simulator.settle()
    events += settled
    return settled
  }

  /// Keeps events that the readers have, for the wire.
  mutating func add(_ settled: [WorldEvent]) { events += settled }

  /// The events that the wire has not seen yet.
  mutating func takeEvents() -> [WorldEvent] {
    defer { events = [] }
    return events
  }
}
