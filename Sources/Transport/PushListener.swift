import CLibevent
import Synchronization

/// An address clients connect to. It lives on the main loop.
package final class PushListener {
  /// The number it was opened with; every connection carries it.
  package let tag: Int
  package let host: String
  /// The port that is really bound.
  package let port: Int

  private var handle: OpaquePointer?
  private var tls: TLSContext
  private let accepted: (Socket, String, PushListener) -> Void
  private let failed: (PushListener) -> Void
  private var pause: LoopEvent?

  /// Accepting rests this long when the process is out of descriptors, or it would spin.
  private static let rest = Duration.milliseconds(100)

  init(
    tag: Int, host: String, port: Int, tls: TLSContext, on base: OpaquePointer,
    accepted: @escaping (Socket, String, PushListener) -> Void, failed: @escaping (PushListener) -> Void
  ) throws(ListenFailure) {
    let bound = try BoundSocket(host: host, port: port)
    self.tag = tag
    self.host = host
    self.port = bound.port
    self.tls = tls
    self.accepted = accepted
    self.failed = failed
    let flags = UInt32(LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC)
    handle = evconnlistener_new(
      base, connectionCame, Unmanaged.passUnretained(self).toOpaque(), flags, Self.backlog, bound.descriptor)
    guard let handle else {
      let failure = ListenFailure.current(host: host, port: port)
      evutil_closesocket(bound.descriptor)
      throw failure
    }
    evconnlistener_set_error_cb(handle, acceptingFailed)
    pause = LoopEvent(on: base) { [unowned self] in evconnlistener_enable(self.handle) }
  }

  deinit { close() }

  /// What new connections are greeted with.
  package var context: TLSContext { tls }

  /// Greets new connections with another certificate.
  package func replace(_ context: TLSContext) { tls = context }

  package func close() {
    pause = nil
    if let handle { evconnlistener_free(handle) }
    handle = nil
  }

  private static let backlog: Int32 = 1024

  fileprivate func somebodyCame(_ socket: Socket, _ peer: String) { accepted(socket, peer, self) }

  fileprivate func acceptFailed() {
    failed(self)
    evconnlistener_disable(handle)
    pause?.add(timeout: Self.rest)
  }
}

private let connectionCame: evconnlistener_cb = { _, descriptor, address, count, context in
  guard let context, let address else { return }
  let peer = Socket.describe(address, socklen_t(count))
  Unmanaged<PushListener>.fromOpaque(context)._withUnsafeGuaranteedRef {
    $0.somebodyCame(Socket(descriptor: descriptor), peer)
  }
}

private let acceptingFailed: evconnlistener_errorcb = { _, context in
  guard let context else { return }
  Unmanaged<PushListener>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.acceptFailed() }
}
