import Devices
import Timeline

/// The pushes, connections or devices to which a fault applies: those that match every condition.
package struct FaultCondition: Hashable, Sendable {
  /// The share is drawn by the name of the fault: the same seed and name always draw the same devices.
  package var filter = Filter()
  /// Only pushes of a session.
  package var scope: Filter?
  /// Strikes connections when they open, not pushes.
  package var isOpening = false
  /// Strikes connections without a push for this long, not pushes.
  package var idle: Duration?
  /// Number of matching pushes to skip first, in the order of arrival.
  package var skip: UInt64 = 0
  /// After these, every Nth match in the order of arrival; 1 matches all.
  package var every: UInt64 = 1

  package init() {}

  /// Whether it strikes connections by themselves, without a push.
  package var isOfConnections: Bool { isOpening || idle != nil }
}
