/// What is wrong with an address on purpose. Connections that are open do not notice.
package enum ListenerFaultMode: Sendable {
  /// Connections are refused (RST to the first SYN). The listening socket is closed, and another that does not listen
  /// holds its port meanwhile, so that the system gives it to nobody who asks for any; a program that asks for it by
  /// number can take it, and then healing is a `ConnectionTrouble`. A connection that was accepted and then reset
  /// would look to the client like a server that died, which is another fault.
  case refuse
  /// The client's hello is answered with the alert `handshake_failure`.
  case failHandshake
  /// The client's hello waits this long to be read.
  case slowHandshake(Duration)
  /// Connections are accepted, what they send is read and forgotten, and nothing ever comes back, also not when the
  /// trouble is over: TLS has lost its beginning.
  case hang
  /// New connections are greeted with another certificate.
  case context(TLSContext)
}

/// How a new connection is greeted.
enum Greeting: Sendable {
  case ordinary
  case refusal
  case late(Duration)
  case silence
}

/// Orders troubles for listeners; from any thread.
package struct ListenerPoster: Sendable {
  struct Order: Sendable {
    let trouble: ListenerFaultMode?
    let listener: Int
  }

  let mailbox: Mailbox<Order>

  /// Nil heals. Orders are carried out in their order, soon. Listeners with the same tag are troubled alike.
  package func set(_ trouble: ListenerFaultMode?, listener tag: Int) {
    mailbox.post(Order(trouble: trouble, listener: tag))
  }
}
