/// The intentional fault of a listener. Open connections are not affected.
package enum ListenerFaultMode: Sendable {
  /// Connections are refused (RST to the first SYN). The listening socket is closed, and a socket that does not listen
  /// holds its port, so that the system does not assign it to another program. A program that asks for this port can
  /// still take it; then healing the fault reports a `ConnectionTrouble`. A connection that is accepted and then reset
  /// would look like a server that died, which is another fault.
  case refuse
  /// The client's hello is answered with the alert `handshake_failure`.
  case failHandshake
  /// The client's hello is read after this delay.
  case slowHandshake(Duration)
  /// Connections are accepted and their data is read and ignored, but nothing is ever sent, even after the fault is
  /// over, because TLS has lost its beginning.
  case hang
  /// New connections get another certificate.
  case context(TLSContext)
}

/// The handling of a new connection.
enum Greeting: Sendable {
  case ordinary
  case refusal
  case late(Duration)
  case silence
}

/// Sets faults of listeners, from any thread.
package struct ListenerPoster: Sendable {
  struct Order: Sendable {
    let trouble: ListenerFaultMode?
    let listener: Int
  }

  let mailbox: Mailbox<Order>

  /// Nil removes the fault. Orders are carried out in order, soon. All listeners with the same tag are affected.
  package func set(_ trouble: ListenerFaultMode?, listener tag: Int) {
    mailbox.post(Order(trouble: trouble, listener: tag))
  }
}
