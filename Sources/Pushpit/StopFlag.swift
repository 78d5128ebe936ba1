import Transport

/// A thread-safe stop flag.
public final class StopFlag: Sendable {
  /// Read by the server, on its own thread.
  let wishes = Mailbox<Void>()

  public func stop() { wishes.post(()) }
}
