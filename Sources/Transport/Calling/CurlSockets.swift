import CCurl
import CLibevent

/// libcurl's open sockets, watched by a loop.
///
/// libcurl unregisters a connection between two calls and registers it again soon after. The read watch stays on
/// meanwhile, which saves two system calls per call; it is removed only if the connection becomes readable in between.
final class CurlSockets {
  private struct Watch {
    let reading: LoopEvent
    let writing: LoopEvent
    var wantsReading = false
    var wantsWriting = false
    var isReading = false
  }

  private let base: OpaquePointer
  /// By descriptor. The entry of a closed descriptor is kept, inactive, for the next socket with that number.
  private var watches: [Int32: Watch] = [:]
  private let ready: (_ descriptor: Int32, _ what: Int32) -> Void

  init(on base: OpaquePointer, ready: @escaping (_ descriptor: Int32, _ what: Int32) -> Void) {
    self.base = base
    self.ready = ready
  }

  /// Sets which events libcurl wants for a socket.
  fileprivate func want(_ what: Int32, of descriptor: Int32) {
    var watch = watches[descriptor] ?? make(descriptor)
    watch.wantsReading = what == CURL_POLL_IN || what == CURL_POLL_INOUT
    if watch.wantsReading, !watch.isReading {
      watch.reading.add()
      watch.isReading = true
    }
    let wantsWriting = what == CURL_POLL_OUT || what == CURL_POLL_INOUT
    if wantsWriting != watch.wantsWriting {
      if wantsWriting { watch.writing.add() } else { watch.writing.cancel() }
      watch.wantsWriting = wantsWriting
    }
    watches[descriptor] = watch
  }

  fileprivate func close(_ descriptor: Int32) {
    if var watch = watches[descriptor] {
      watch.reading.cancel()
      watch.writing.cancel()
      watch.wantsReading = false
      watch.wantsWriting = false
      watch.isReading = false
      watches[descriptor] = watch
    }
    evutil_closesocket(descriptor)
  }

  private func make(_ descriptor: Int32) -> Watch {
    Watch(
      reading: LoopEvent(on: base, descriptor: descriptor, events: EV_READ | EV_PERSIST) { [unowned self] in
        readable(descriptor)
      },
      writing: LoopEvent(on: base, descriptor: descriptor, events: EV_WRITE | EV_PERSIST) { [unowned self] in
        ready(descriptor, CURL_CSELECT_OUT)
      })
  }

  private func readable(_ descriptor: Int32) {
    if watches[descriptor]?.wantsReading == true { return ready(descriptor, CURL_CSELECT_IN) }
    watches[descriptor]?.reading.cancel()
    watches[descriptor]?.isReading = false
  }
}

extension CurlSockets {
  static let wanted:
    @convention(c) (
      UnsafeMutableRawPointer?, curl_socket_t, Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
    ) -> Int32 = { _, descriptor, what, context, _ in
      guard let context else { return -1 }
      Unmanaged<CurlSockets>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.want(what, of: descriptor) }
      return 0
    }

  static let closed: @convention(c) (UnsafeMutableRawPointer?, curl_socket_t) -> Int32 = { context, descriptor in
    guard let context else { return -1 }
    Unmanaged<CurlSockets>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.close(descriptor) }
    return 0
  }
}
