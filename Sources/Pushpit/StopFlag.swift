import Transport

/// A thread-safe stop flag.
package final class StopFlag: Sendable {
  /// Read by the server, on its own thread.
  let wishes = Mailbox<Void>()

  package func stop() { wishes.post(()) }
}
