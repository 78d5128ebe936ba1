import CLibevent
import Synchronization

/// Pauses an evhttp listener while the process is out of descriptors, because it would spin otherwise.
///
/// It is freed before its listener. An error callback receives the listener's user data, which belongs to evhttp, so
/// the backoff is found by the listener's address.
final class ListenerBackoff {
  /// Addresses of backoffs by the addresses of listeners, for all loops.
  private static let all = Mutex<[UInt: UInt]>([:])
  private static let pause = Duration.milliseconds(100)

  private let listener: OpaquePointer
  private let failed: () -> Void
  private var end: LoopEvent?
  private var burst = BurstDetector()

  /// - Parameter failed: called once for each burst of failures.
  init(of listener: OpaquePointer, failed: @escaping () -> Void) {
    self.listener = listener
    self.failed = failed
    end = LoopEvent(on: evconnlistener_get_base(listener)) { evconnlistener_enable(listener) }
    let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
    Self.all.withLock { $0[UInt(bitPattern: listener)] = address }
    evconnlistener_set_error_cb(listener, acceptingFailed)
  }

  deinit {
    let key = UInt(bitPattern: listener)
    Self.all.withLock { $0[key] = nil }
  }

  fileprivate static func address(of listener: OpaquePointer) -> UnsafeRawPointer? {
    all.withLock { $0[UInt(bitPattern: listener)] }.flatMap(UnsafeRawPointer.init(bitPattern:))
  }

  fileprivate func begin() {
    evconnlistener_disable(listener)
    end?.add(timeout: Self.pause)
    if burst.begins() { failed() }
  }
}

private let acceptingFailed: evconnlistener_errorcb = { listener, _ in
  guard let listener, let rest = ListenerBackoff.address(of: listener) else { return }
  Unmanaged<ListenerBackoff>.fromOpaque(rest)._withUnsafeGuaranteedRef { $0.begin() }
}
