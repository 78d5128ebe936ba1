import CCurl
import CLibevent

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An easy handle of libcurl with its current call. It is reused for the next call.
final class CurlTransfer {
  let easy: UnsafeMutableRawPointer
  let options: AppCallerOptions
  private(set) var body: [UInt8] = []
  /// Number of times that libcurl was about to send the request: one, unless it retries by itself.
  private(set) var attempts = 0
  /// An address beyond this machine to which the connection was blocked.
  private(set) var barred: String?
  /// The error number of a socket that could not be created.
  private(set) var socketError: Int32?
  private(set) var isTooLarge = false
  /// True if the empty line after the header was received. libcurl takes a truncated header for a complete one.
  private(set) var isHeaderWhole = false

  private let sockets: CurlSockets
  private let words: UnsafeMutableBufferPointer<CChar>
  private var fields: UnsafeMutablePointer<curl_slist>?
  private var addresses: UnsafeMutablePointer<curl_slist>?
  private var mayLeave = false

  init(_ options: AppCallerOptions, sockets: CurlSockets) {
    guard let easy = curl_easy_init() else { preconditionFailure("libcurl makes a handle unless memory is out") }
    self.easy = easy
    self.options = options
    self.sockets = sockets
    words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0)
    for entry in options.addresses { addresses = curl_slist_append(addresses, entry) }
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(fields)
    curl_slist_free_all(addresses)
    words.deallocate()
  }

  /// libcurl's description of the failure; empty without a failure.
  var explanation: String {
    String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  var status: Int { number(CURLINFO_RESPONSE_CODE) }
  /// `errno` of the last failure below HTTP; 0 if there was none.
  var systemError: Int32 { Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO)) }

  var contentType: String? {
    var text: UnsafePointer<CChar>?
    guard pushpit_curl_get_string(easy, CURLINFO_CONTENT_TYPE, &text) == CURLE_OK, let text else { return nil }
    return String(cString: text)
  }

  private func number(_ what: CURLINFO) -> Int {
    var value = 0
    pushpit_curl_get_long(easy, what, &value)
    return value
  }

  // MARK: Preparing

  /// - Parameter milliseconds: the remaining time of the call; at least 1.
  func prepare(_ call: AppCall, mayLeave: Bool, milliseconds: Int) {
    curl_easy_reset(easy)
    body = []
    attempts = 0
    barred = nil
    socketError = nil
    isTooLarge = false
    isHeaderWhole = false
    words[0] = 0
    self.mayLeave = mayLeave
    setCommonOptions()
    setCallbacks()
    set(CURLOPT_URL, call.url)
    set(CURLOPT_TIMEOUT_MS, milliseconds)
    setRequest(call)
  }

  /// Options of every call.
  private func setCommonOptions() {
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    // Empty disables proxies, whatever the environment says.
    set(CURLOPT_PROXY, "")
    set(CURLOPT_NOPROXY, "*")
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_HTTP09_ALLOWED, 0)
    set(CURLOPT_TCP_NODELAY, 1)
    set(CURLOPT_MAXAGE_CONN, options.idleSeconds)
    // Cancelling a call does not wait for the resolver's thread, which may hang for half a minute.
    set(CURLOPT_QUICK_EXIT, 1)
    if let authority = options.authority { set(CURLOPT_CAINFO, authority) }
    if let addresses { pushpit_curl_set_pointer(easy, CURLOPT_RESOLVE, addresses) }
  }

  private func setCallbacks() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    pushpit_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, words.baseAddress)
    pushpit_curl_set_callback(easy, CURLOPT_WRITEFUNCTION, bodyCame)
    pushpit_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
    pushpit_curl_set_callback(easy, CURLOPT_HEADERFUNCTION, headerCame)
    pushpit_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
    pushpit_curl_set_before_request(easy, requestIsDue)
    pushpit_curl_set_pointer(easy, CURLOPT_PREREQDATA, context)
    pushpit_curl_set_open_socket(easy, socketIsDue)
    pushpit_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
    // Set on the connection, which outlives the transfer.
    pushpit_curl_set_close_socket(easy, CurlSockets.closed)
    pushpit_curl_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque())
  }

  private func setRequest(_ call: AppCall) {
    if let bytes = call.body {
      set(CURLOPT_POSTFIELDSIZE, bytes.count)
      bytes.withUnsafeBytes { bytes in
        // libcurl copies the number of bytes set before. An empty array may have no address, and nil means "ask a
        // callback".
        if let start = bytes.baseAddress, bytes.count > 0 {
          pushpit_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: start))
        } else {
          set(CURLOPT_COPYPOSTFIELDS, "")
        }
      }
    }
    if call.method == "HEAD" {
      // Otherwise it would wait for the announced body, which the answer does not have.
      set(CURLOPT_NOBODY, 1)
    } else {
      // An oversized answer is detected by its length before its body is read.
      set(CURLOPT_MAXFILESIZE, options.largestAnswer)
    }
    set(CURLOPT_CUSTOMREQUEST, call.method)
    curl_slist_free_all(fields)
    // Removes headers that libcurl adds by itself.
    fields = curl_slist_append(nil, "Expect:")
    if !call.headers.contains(where: { $0.0.lowercased() == "content-type" }) {
      fields = curl_slist_append(fields, "Content-Type:")
    }
    for (name, value) in call.headers {
      // A name with a colon and an empty value would remove the header; a semicolon sends it empty.
      fields = curl_slist_append(fields, value.allSatisfy { $0 == " " } ? "\(name);" : "\(name): \(value)")
    }
    pushpit_curl_set_pointer(easy, CURLOPT_HTTPHEADER, fields)
  }

  private func set(_ option: CURLoption, _ value: Int) { pushpit_curl_set_long(easy, option, value) }
  private func set(_ option: CURLoption, _ value: String) { pushpit_curl_set_string(easy, option, value) }

  // MARK: Called by libcurl

  /// False aborts the transfer.
  fileprivate func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= options.largestAnswer else {
      isTooLarge = true
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  /// Receives every line of a header, including the empty one at its end; interim answers have separate headers.
  fileprivate func note(_ line: UnsafeRawBufferPointer) { isHeaderWhole = line.first == 0x0D || line.first == 0x0A }

  /// False aborts the transfer. libcurl repeats a request by itself if a reused connection dies, whatever the method;
  /// requests are never repeated here.
  fileprivate func beginAttempt() -> Bool {
    attempts += 1
    return attempts == 1
  }

  fileprivate func open(_ target: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
    guard mayLeave || OutboundAllowList.isLoopback(target) else {
      barred = OutboundAllowList.describe(target)
      return CURL_SOCKET_BAD
    }
    let descriptor = socket(target.pointee.family, target.pointee.socktype, target.pointee.protocol)
    guard descriptor >= 0 else {
      socketError = errno
      return CURL_SOCKET_BAD
    }
    evutil_make_socket_closeonexec(descriptor)
    return descriptor
  }
}

private let bodyCame: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
  bytes, size, count, context in
  guard let bytes, let context else { return 0 }
  let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.append(part) } ? part.count : 0
}

private let headerCame: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
  bytes, size, count, context in
  guard let bytes, let context else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.note(line) }
  return line.count
}

private let requestIsDue:
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int32, Int32
  ) -> Int32 = { context, _, _, _, _ in
    guard let context else { return CURL_PREREQFUNC_ABORT }
    let goesOn = Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.beginAttempt() }
    return goesOn ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
  }

private let socketIsDue:
  @convention(c) (UnsafeMutableRawPointer?, curlsocktype, UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t = {
    context, _, target in
    guard let context, let target else { return CURL_SOCKET_BAD }
    return Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.open(target) }
  }
