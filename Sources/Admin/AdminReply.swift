import Simulation
import WireFormats

/// What a route makes of a request while it has the station's lock.
enum AdminReply: Sendable {
  typealias Step = @Sendable (inout Visit, inout Station) throws(AdminProblem) -> AdminReply

  /// Written after the lock has been released: text takes far longer than reading what it is about. What it holds is a
  /// copy of rows, and never of the station: the next push would have to copy the whole of that.
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
enum Portion {
  /// Records, lines and calls that are looked at.
  static let records = 4_000
  /// Devices that are looked at.
  static let devices: UInt32 = 5_000
  /// Devices, tokens of devices, faults or sessions that are shown.
  static let shown = 50
}
