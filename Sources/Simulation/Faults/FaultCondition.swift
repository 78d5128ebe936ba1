import Devices
import Timeline

/// The pushes, connections or devices to which a fault applies: those that match every condition.
package struct FaultCondition: Hashable, Sendable {
  /// The share is drawn by the name of the fault: the same seed and name always draw the same devices.
  package var filter = Filter()
  /// Only pushes of a session.
  package var scope: Filter?
  package var trigger = Trigger.push
  /// Number of matching pushes to skip first, in the order of arrival.
  package var skip: UInt64 = 0
  /// After these, every Nth match in the order of arrival; 1 matches all.
  package var every: UInt64 = 1

  package init() {}

  /// The event at which a fault of connections strikes.
  package enum Trigger: Hashable, Sendable {
    /// A push arrives; also the trigger of faults of other things.
    case push
    /// A connection opens.
    case opening
    /// A connection has had no push for this long.
    case idle(Duration)
  }

  /// True if it strikes connections by themselves, without a push.
  package var isOfConnections: Bool { trigger != .push }
  /// Time without a push after which it strikes a connection.
  package var idleTime: Duration? { if case .idle(let length) = trigger { length } else { nil } }
}
