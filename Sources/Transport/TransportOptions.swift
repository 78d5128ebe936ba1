import HTTP2

/// Bounds on what clients can make the server hold, and for how long.
package struct TransportLimits: Hashable, Sendable {
  package var connections = 10_000
  package var handshake = Duration.seconds(10)
  /// Assumed: Apple closes idle connections and does not publish when (docs/behavior/connections.md#silence).
  package var idle = Duration.seconds(7200)
  /// Debug data of the GOAWAY that ends an idle connection.
  package var idleDebug: [UInt8] = []
  /// How long a client may take nothing while bytes or answers wait for it.
  package var writeStall = Duration.seconds(30)
  /// How long the server listens after its last byte, so that a late byte of the client does not reset the
  /// connection under that last byte.
  package var linger = Duration.seconds(1)
  /// Unwritten bytes at which reading stops.
  package var unwritten = 256 * 1024
  /// Bytes that all connections together may hold for requests and answers. Beyond it new streams are refused, except
  /// on connections that hold no more than `heldAnyway`. What one connection may hold is an option of its session.
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
