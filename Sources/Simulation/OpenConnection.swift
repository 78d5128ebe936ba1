import APNs

/// A provider's connection that is open, as a person asks about it.
package struct OpenConnection: Sendable {
  package let id: ConnectionID
  package let environment: Environment
  package let peer: String
  package let pushes: UInt64
  package let refused: UInt64
}
