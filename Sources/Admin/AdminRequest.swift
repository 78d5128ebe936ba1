import Simulation
import WireFormats

/// A request of the admin API as the transport read it: nothing decoded, nothing judged.
package struct AdminRequest: Sendable {
  package let method: String
  /// What stands in the request line after the method: path and query, percent-encoded.
  package let target: String
  /// Names in any case; a name may be there twice.
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]
  /// The body, parsed before the simulator's lock is taken.
  let json: Result<JSONValue, JSONProblem>

  package init(method: String, target: String, headers: [(name: String, value: String)], body: [UInt8]) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    json = Result { () throws(JSONProblem) in try JSONValue.parse(body) }
  }

  /// All values under a lower-case name.
  func values(of name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map(\.value)
  }
}

/// What a route makes of a request while it has the simulator's lock.
enum AdminReply: Sendable {
  typealias Step = @Sendable (inout AdminContext, inout Simulator) throws(AdminProblem) -> AdminReply

  /// Written after the lock has been released: text takes far longer than reading what it is about. What it holds is a
  /// copy of rows, and never of the simulator: the next push would have to copy the whole of that.
  case response(@Sendable () -> AdminResponse)
  /// There is more to do than one hold of the lock allows. Pushes are served before it goes on.
  case more(Step)

  static func json(
    status: Int = 200, _ value: @autoclosure @escaping @Sendable () -> JSONValue
  ) -> AdminReply {
    .response { .json(value(), status: status) }
  }

  static func text(
    _ text: @autoclosure @escaping @Sendable () -> String, contentType: String = "text/plain; charset=utf-8"
  ) -> AdminReply {
    .response { .text(text(), contentType: contentType) }
  }
}

/// How much a route does in one hold of the lock. Each of these takes well under 5 ms of a slow processor.
enum BatchSize {
  /// Records, lines and calls that are looked at.
  static let records = 4_000
  /// Devices that are looked at.
  static let devices: UInt32 = 5_000
  /// Devices, tokens of devices, faults or sessions that are shown.
  static let shown = 50
}
