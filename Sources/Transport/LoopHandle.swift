import Synchronization

/// A serving loop as seen from other threads.
final class LoopHandle: Sendable {
  enum Letter: Sendable {
    case serve(AcceptedSocket)
    case apply(Effects, connection: UInt64)
    /// Send GOAWAY on all connections, and report when the last one has closed.
    case drain(debug: [UInt8])
    /// Close the remaining connections now, and end the thread.
    case stop
  }

  /// A client whose connection was accepted.
  struct AcceptedSocket: Sendable {
    let socket: Socket
    let listener: Int
    let peer: String
    /// Nil if a relay has ended TLS.
    let tls: TLSContext?
    let greeting: Greeting
  }

  let index: Int
  let mailbox = Mailbox<Letter>()
  /// Connections passed to the loop and not yet closed.
  let connectionCount = Atomic<Int>(0)
  /// For all loops together.
  let held: BufferedBytes

  init(index: Int, _ held: BufferedBytes) {
    self.index = index
    self.held = held
  }

  /// Passes a client to the loop; if the loop accepts no more, the client is closed.
  func serve(_ socket: AcceptedSocket) {
    connectionCount.add(1, ordering: .relaxed)
    if !mailbox.post(.serve(socket)) { refuse(.serve(socket)) }
  }

  /// Closes the socket of a client that the loop does not serve.
  func refuse(_ letter: Letter) {
    guard case .serve(let socket) = letter else { return }
    socket.socket.close()
    connectionCount.subtract(1, ordering: .relaxed)
  }
}

/// Sends effects to connections, from any thread.
package struct EffectPoster: Sendable {
  let loops: [LoopHandle]

  /// Applies effects to a connection soon, on its own loop. No effect if it is closed by then.
  package func post(_ effects: Effects, to connection: ConnectionID) {
    guard loops.indices.contains(connection.loop), !effects.isEmpty else { return }
    loops[connection.loop].mailbox.post(.apply(effects, connection: connection.number))
  }

  /// True if posted effects for a connection's loop are waiting. Call it on that loop's thread.
  package func isWaiting(for connection: ConnectionID) -> Bool {
    loops.indices.contains(connection.loop) && !loops[connection.loop].mailbox.isEmpty
  }

  /// Number of connections that are open or about to be.
  package var connectionCount: Int { loops.reduce(0) { $0 + $1.connectionCount.load(ordering: .relaxed) } }
}
