import CLibevent
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An address for clients to connect to. Used on the main loop.
package final class PushListener {
  /// The number given when it was opened; every connection carries it.
  package let tag: Int
  package let host: String
  /// The actual port.
  package let port: Int
  /// The path of a Unix socket; nil for an address.
  private var path: String?

  private let base: OpaquePointer
  private var handle: OpaquePointer?
  /// Holds the port while connections are refused.
  private var reserved: BoundSocket?
  /// Nil for relays, which end TLS.
  private var tls: TLSContext?
  private var trouble: ListenerFaultMode?
  private let accepted: (Socket, String, PushListener) -> Void
  private let failed: (PushListener) -> Void
  private var pause: LoopEvent?
  private var burst = BurstDetector()

  /// The time for which accepting pauses when the process is out of descriptors; it would spin otherwise.
  private static let rest = Duration.milliseconds(100)

  init(
    tag: Int, bound: BoundSocket, tls: TLSContext?, on base: OpaquePointer,
    accepted: @escaping (Socket, String, PushListener) -> Void, failed: @escaping (PushListener) -> Void
  ) throws(ListenFailure) {
    self.tag = tag
    host = bound.host
    path = bound.path
    self.port = bound.port
    self.tls = tls
    self.accepted = accepted
    self.failed = failed
    self.base = base
    try listen(on: bound)
    pause = LoopEvent(on: base) { [unowned self] in if let handle { evconnlistener_enable(handle) } }
  }

  deinit { close() }

  private func listen(on bound: BoundSocket) throws(ListenFailure) {
    let flags = UInt32(LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC)
    handle = evconnlistener_new(
      base, connectionCame, Unmanaged.passUnretained(self).toOpaque(), flags, Self.backlog, bound.descriptor)
    guard let handle else {
      let failure = ListenFailure.current(host: host, port: port)
      evutil_closesocket(bound.descriptor)
      throw failure
    }
    evconnlistener_set_error_cb(handle, acceptingFailed)
  }

  /// The TLS context for new connections.
  package var context: TLSContext? { if case .context(let other) = trouble { other } else { tls } }

  var greeting: Greeting {
    switch trouble {
    case .failHandshake: .refusal
    case .slowHandshake(let delay): .late(delay)
    case .hang: .silence
    case .refuse, .context, nil: .ordinary
    }
  }

  /// Uses another certificate for new connections.
  package func replace(_ context: TLSContext) { tls = context }

  /// Nil removes the fault.
  func set(_ trouble: ListenerFaultMode?) throws(ListenFailure) {
    self.trouble = trouble
    if case .refuse = trouble {
      guard let handle else { return }
      // Closing is not enough while a child that is being started has the socket too.
      shutdown(evconnlistener_get_fd(handle), Int32(SHUT_RDWR))
      evconnlistener_free(handle)
      self.handle = nil
      reserved = try BoundSocket(host: host, port: port)
    } else if handle == nil {
      let bound = if let reserved { reserved } else { try BoundSocket(host: host, port: port) }
      // `listen` closes the socket if it fails.
      reserved = nil
      try listen(on: bound)
    }
  }

  package func close() {
    pause = nil
    if let handle { evconnlistener_free(handle) }
    handle = nil
    if let reserved { evutil_closesocket(reserved.descriptor) }
    reserved = nil
    if let path { unlink(path) }
    path = nil
  }

  private static let backlog: Int32 = 1024

  fileprivate func somebodyCame(_ socket: Socket, _ peer: String) { accepted(socket, peer, self) }

  fileprivate func acceptFailed() {
    if burst.begins() { failed(self) }
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
