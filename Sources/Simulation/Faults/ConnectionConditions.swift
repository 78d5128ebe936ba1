import APNs
import Timeline

/// Everything that faults change on a connection while they last.
struct ConnectionConditions: Sendable {
  /// Every push on the connection is rejected, or every push of one session.
  struct Rejecting: Sendable {
    let reason: RejectionReason
    /// Label of the fault.
    let fault: String
    /// The session's pushes; nil for all.
    let scope: Filter?
    let matcher: Matcher?
  }

  /// In the order of the faults; the first one that matches a push counts.
  var rejecting: [Rejecting] = []
  /// Offset of the clock that checks provider tokens; nil if no fault sets one.
  var clockOffset: Duration?
  /// Commands in force on the wire, one for each kind of effect, with the command that ends it.
  private var wire: [(command: WireCommand, end: WireCommand)] = []

  /// Puts a command in force, instead of an earlier one of its kind.
  ///
  /// - Parameter end: the command that ends its effect.
  mutating func set(_ command: WireCommand, without end: WireCommand) {
    wire.removeAll { $0.command.name == command.name }
    wire.append((command, end))
  }

  /// The commands that lead from other conditions to these.
  func commands(since other: ConnectionConditions) -> [WireCommand] {
    let ended = other.wire.filter { old in
      old.command != old.end && !wire.contains { $0.command.name == old.command.name }
    }
    let changed = wire.filter { new in
      new.command != (other.wire.first { $0.command.name == new.command.name }?.command)
    }
    return ended.map(\.end) + changed.map(\.command)
  }
}
