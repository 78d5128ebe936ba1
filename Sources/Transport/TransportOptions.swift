import HTTP2

/// Limits on what clients can make the server hold, and for how long.
package struct TransportLimits: Hashable, Sendable {
  package var connections = 10_000
  package var handshake = Duration.seconds(10)
  /// Assumed: Apple closes idle connections but does not publish when (docs/behavior/connections.md#silence).
  package var idle = Duration.seconds(7200)
  /// Debug data of the GOAWAY that ends an idle connection.
  package var idleDebug: [UInt8] = []
  /// The longest time in which a client may accept nothing while bytes or answers wait for it.
  package var writeStall = Duration.seconds(30)
  /// The time for which the server reads after its last byte, so that late data of the client does not reset the
  /// connection and lose that byte.
  package var linger = Duration.seconds(1)
  /// Number of unwritten bytes at which reading stops.
  package var unwritten = 256 * 1024
  /// Maximum number of bytes that all connections together hold for requests and answers. Beyond it, new streams are
  /// refused, except on connections that hold at most `heldAnyway`. The limit of one connection is a session option.
  package var held = 256 * 1024 * 1024
  package var heldAnyway = 16 * 1024

  package init() {}
}

package struct TransportOptions: Hashable, Sendable {
  /// Threads that serve connections.
  package var loops = 2
  package var limits = TransportLimits()
  package var session = SessionOptions()

  package init() {}
}
