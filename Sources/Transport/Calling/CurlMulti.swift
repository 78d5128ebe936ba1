import CCurl
import CLibevent

/// libcurl's multi handle on a libevent loop: many transfers on one thread. Used only on that thread.
final class CurlMulti {
  let sockets: CurlSockets
  private let multi: UnsafeMutableRawPointer
  private var timer: LoopEvent?
  /// By the address of their easy handle.
  private var transfers: [UInt: CurlTransfer] = [:]
  private let turned: () -> Void

  /// - Parameter turned: called after libcurl has worked; `next()` may have something.
  init(on base: OpaquePointer, connections: Int, perHost: Int, turned: @escaping () -> Void) {
    guard Libcurl.isPrepared, let multi = curl_multi_init() else {
      preconditionFailure("libcurl makes a multi handle unless memory is out")
    }
    self.multi = multi
    self.turned = turned
    let work = { (descriptor: Int32, what: Int32) in
      var running: Int32 = 0
      curl_multi_socket_action(multi, descriptor, what, &running)
      turned()
    }
    sockets = CurlSockets(on: base, ready: work)
    timer = LoopEvent(on: base) { work(CURL_SOCKET_TIMEOUT, 0) }
    // The queue enforces these limits already, but libcurl keeps idle connections of its own.
    pushpit_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
    pushpit_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
    pushpit_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
    pushpit_curl_multi_set_socket_function(multi, CurlSockets.wanted)
    pushpit_curl_multi_set_pointer(
      multi, CURLMOPT_SOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque())
    pushpit_curl_multi_set_timer_function(multi, timeoutChanged)
    pushpit_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    // Closing may still request timeouts.
    pushpit_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, nil)
    for transfer in transfers.values { curl_multi_remove_handle(multi, transfer.easy) }
    curl_multi_cleanup(multi)
  }

  /// - Returns: false if libcurl rejects it.
  func add(_ transfer: CurlTransfer) -> Bool {
    guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else { return false }
    transfers[UInt(bitPattern: transfer.easy)] = transfer
    return true
  }

  /// Ends a transfer now; a connection in use is closed.
  func remove(_ transfer: CurlTransfer) {
    guard transfers.removeValue(forKey: UInt(bitPattern: transfer.easy)) != nil else { return }
    curl_multi_remove_handle(multi, transfer.easy)
  }

  /// Takes the next transfer that has ended.
  func next() -> (transfer: CurlTransfer, code: CURLcode)? {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      // The message's target is freed when its transfer is removed.
      let (kind, easy, code) = (message.pointee.msg, message.pointee.easy_handle, message.pointee.data.result)
      guard kind == CURLMSG_DONE, let transfer = transfers[UInt(bitPattern: easy)] else { continue }
      remove(transfer)
      return (transfer, code)
    }
    return nil
  }

  fileprivate func schedule(milliseconds: Int) {
    if milliseconds < 0 {
      timer?.cancel()
    } else if milliseconds == 0 {
      // Not a timeout, because epoll would round it up to a millisecond.
      timer?.activate()
    } else {
      timer?.add(timeout: .milliseconds(milliseconds))
    }
  }
}

private let timeoutChanged: @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> Int32 = {
  _, milliseconds, context in
  guard let context else { return 0 }
  Unmanaged<CurlMulti>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.schedule(milliseconds: milliseconds) }
  return 0
}

/// Process-wide initialization before the first call.
enum Libcurl {
  static let isPrepared = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  static func text(of code: CURLcode) -> String {
    curl_easy_strerror(code).map { String(cString: $0) } ?? "libcurl's error \(code.rawValue)"
  }
}
