import Grammar
import Scenarios
import Simulation
import WireFormats

/// A request of the admin API as received: neither decoded nor checked.
package struct AdminRequest: Sendable {
  package let method: String
  /// The request line after the method: path and query, percent-encoded.
  package let target: String
  /// Names in any case; a name may occur more than once.
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]
  /// Returns true if its client belongs to the user of the server, on this machine. Takes some milliseconds.
  let isOwners: @Sendable () -> Bool
  /// The body, parsed before the simulator's lock is taken.
  let json: Result<JSONValue, JSONProblem>

  package init(
    method: String, target: String, headers: [(name: String, value: String)], body: [UInt8],
    isOwners: @escaping @Sendable () -> Bool = { false }
  ) {
    self.isOwners = isOwners
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    json = Result { () throws(JSONProblem) in try JSONValue.parse(body) }
  }

  /// All values of a lower-case name.
  func values(of name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// True if `Accept` names the type. Ranges such as `*/*` do not name it.
  func accepts(_ type: String) -> Bool {
    values(of: "accept").contains { $0.lowercased().contains(type) }
  }
}

/// The reply of a route that holds the simulator's lock.
enum AdminReply: Sendable {
  typealias Step = @Sendable (inout AdminContext, inout Simulator) throws(AdminProblem) -> AdminReply

  /// Written after the lock was released, because writing text takes far longer than reading its data. The closure
  /// holds copies of rows, never of the simulator: the next push would then have to copy it.
  case response(@Sendable () -> AdminResponse)
  /// More work is left than one hold of the lock allows. Pushes are served in between. The rest of long work, such as
  /// the evaluation of expectations or the wait for a broadcast, may be done on another thread, while other requests
  /// are answered.
  case more(Step, isLong: Bool = false)
  /// Work that needs the readers of events only. Pushes are served meanwhile.
  case reading(@Sendable (borrowing EventReaders) -> AdminReply)
  /// Work that needs nothing of the simulator, such as reading a body that may have 1,000 expectations.
  case unlocked(@Sendable () throws(AdminProblem) -> AdminReply)
  /// Work that may take long or wait for others, such as files: without the lock, and on a separate thread.
  case apart(@Sendable (_ isAwaited: @escaping StillAwaited) throws(AdminProblem) -> AdminReply)

  static func json(
    status: Int = 200, _ value: @autoclosure @escaping @Sendable () -> JSONValue
  ) -> AdminReply {
    .response { .json(value(), status: status) }
  }

  /// - Parameter others: further members.
  static func deleted(_ names: [String], _ others: [JSONValue.Member] = []) -> AdminReply {
    .response { .deleted(names, others) }
  }

  static func text(
    _ text: @autoclosure @escaping @Sendable () -> String, contentType: String = "text/plain; charset=utf-8"
  ) -> AdminReply {
    .response { .text(text(), contentType: contentType) }
  }

  /// Number of lock holds for which an answer waits until a fault has reached its devices: enough for some thousands.
  private static let patience = 200

  /// Goes on once faults have reached their devices, if that does not take too long.
  static func afterFaults(
    in context: inout AdminContext, on simulator: inout Simulator, turns: Int = patience, _ step: @escaping Step
  ) throws(AdminProblem) -> AdminReply {
    guard simulator.world.hasFaultWaves, turns > 0 else { return try step(&context, &simulator) }
    return .more { (context, simulator) throws(AdminProblem) in
      simulator.stepWaves(wall: context.wall)
      context.settle(&simulator)
      return try afterFaults(in: &context, on: &simulator, turns: turns - 1, step)
    }
  }
}

/// Amounts of work that a route does in one hold of the lock. Each takes well under 5 ms on a slow processor.
enum BatchSize {
  /// Records, lines and calls to look at.
  static let records = 4_000
  /// Checks of one push or event by one expectation. They take longer than looking at a record.
  static let checks = 2_000
  /// Devices to look at.
  static let devices: UInt32 = 5_000
  /// Devices, tokens of devices, faults or sessions to show.
  static let shown = 50
}
