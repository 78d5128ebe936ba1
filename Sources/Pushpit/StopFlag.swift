import Transport

/// A wish to stop that may be spoken on any thread.
package final class StopFlag: Sendable {
  /// Read by the server, on its own thread.
  let wishes = Mailbox<Void>()

  package func stop() { wishes.post(()) }
}
