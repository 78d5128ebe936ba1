import Synchronization

/// A serving loop as other threads see it.
final class LoopHandle: Sendable {
  enum Letter: Sendable {
    case serve(AcceptedSocket)
    case apply(Effects, connection: UInt64)
    /// Send GOAWAY everywhere, and tell when the last connection is gone.
    case drain(debug: [UInt8])
    /// Close what is left, now, and end the thread.
    case stop
  }

  /// A client that has been accepted.
  struct AcceptedSocket: Sendable {
    let socket: Socket
    let listener: Int
    let peer: String
    let tls: TLSContext
    let greeting: Greeting
  }

  let index: Int
  let mailbox = Mailbox<Letter>()
  /// Connections handed to the loop and not yet closed.
  let connectionCount = Atomic<Int>(0)
  /// Of all loops together.
  let held: BufferedBytes

  init(index: Int, _ held: BufferedBytes) {
    self.index = index
    self.held = held
  }

  /// Hands a client to the loop; one that the loop takes no more is closed.
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

/// Brings effects to connections; from any thread.
package struct EffectPoster: Sendable {
  let loops: [LoopHandle]

  /// Applies effects to a connection soon, on its own loop. If it is gone by then, nothing happens.
  package func post(_ effects: Effects, to connection: ConnectionID) {
    guard loops.indices.contains(connection.loop), !effects.isEmpty else { return }
    loops[connection.loop].mailbox.post(.apply(effects, connection: connection.number))
  }

  /// Whether effects that were posted to a connection's loop wait to be applied. To be asked on that loop's thread.
  package func isWaiting(for connection: ConnectionID) -> Bool {
    loops.indices.contains(connection.loop) && !loops[connection.loop].mailbox.isEmpty
  }

  /// Connections open or about to be opened.
  package var connectionCount: Int { loops.reduce(0) { $0 + $1.connectionCount.load(ordering: .relaxed) } }
}
