import APNs
import Devices
import Timeline

/// Which pushes, connections or devices a fault is for: all that meet every condition.
package struct FaultCondition: Hashable, Sendable {
  package var environment: Environment?
  /// Bundle id.
  package var app: String?
  package var pushType: PushType?
  package var priority: Priority?
  package var tokenKind: TokenKind?
  /// `event` of a Live Activity push, or of what an app reports.
  package var event: String?
  package var devices: Set<DeviceID>?
  package var os: OSPattern?
  /// Which devices by chance; the same ones whenever the same seed and name are given.
  package var share = Odds.always
  package var connection: UInt64?
  /// Only pushes of a session.
  package var scope: SessionScope?
  /// Strikes a connection as it opens, and no push.
  package var isOpening = false
  /// Strikes a connection on which no push has come for so long, and no push.
  package var idle: Duration?
  /// Matching pushes that are passed over first, in the order of arrival.
  package var skip: UInt64 = 0
  /// After these, every Nth match in the order of arrival; 1 matches all.
  package var every: UInt64 = 1

  package init() {}

  /// Whether it strikes connections of themselves, without a push.
  package var isOfConnections: Bool { isOpening || idle != nil }
}

/// What a fault may look at of a push.
struct PushFacts {
  let environment: Environment
  let connection: UInt64
  let address: Address
  let type: PushType?
  let priority: Priority
}
