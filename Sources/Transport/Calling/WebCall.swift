import CCurl

/// An HTTP request of Pushpit itself, through libcurl: for `pushpit send` and `doctor`.
package struct WebCall: Sendable {
  package enum Version: Sendable {
    /// HTTP/2, negotiated by ALPN.
    case http2
    case http1
  }

  package var method: String
  package var url: String
  package var headers: [(name: String, value: String)] = []
  package var body: [UInt8] = []
  package var version: Version
  /// The authority to trust; nil for the system's.
  package var authority: TrustedAuthority?
  package var timeout: Duration = .seconds(10)

  /// Maximum number of bytes of an answer.
  package var largestAnswer = 8 << 20

  /// Longest silence of a server if there is no timeout; the event stream sends a comment after 15 seconds.
  package var mostSilence: Duration = .seconds(40)

  /// The client that the answer is for: once it has left, the call ends within about a second. Nil for one that stays.
  package var client: WaitingClient?

  package init(_ method: String, _ url: String, version: Version) {
    self.method = method
    self.url = url
    self.version = version
  }

  package struct Reply: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    package subscript(header: String) -> String? { headers.first { $0.name == header }?.value }
  }

  package struct Failure: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
      case cannotConnect
      case timedOut
      case certificate
      case other
    }

    package let kind: Kind
    package let description: String
  }

  /// Sends the request and waits for its answer, on the current thread.
  package func perform() throws(Failure) -> Reply { try perform(collected()) }

  /// Sends the request, and passes the body of an answer with status 200 on as it comes; `take` returns false to end
  /// the call.
  package func stream(_ take: @escaping (UnsafeRawBufferPointer) -> Bool) throws(Failure) -> Reply {
    try perform(collected(take))
  }

  private func collected(_ take: ((UnsafeRawBufferPointer) -> Bool)? = nil) -> Collected {
    Collected(limit: largestAnswer, mostSilence: timeout == .zero ? mostSilence : nil, client, take)
  }

  private func perform(_ collected: Collected) throws(Failure) -> Reply {
    guard Libcurl.isPrepared, let curl = curl_easy_init() else {
      throw Failure(kind: .other, description: "libcurl has no memory")
    }
    defer { curl_easy_cleanup(curl) }
    let list = headers.reduce(nil as UnsafeMutablePointer<curl_slist>?) { list, field in
      curl_slist_append(list, "\(field.name): \(field.value)")
    }
    defer { curl_slist_free_all(list) }
    var reason = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
    let code = reason.withUnsafeMutableBufferPointer { reason in
      body.withUnsafeBufferPointer { body in
        prepare(curl, headers: list, collected: collected, body: body, reason: reason.baseAddress)
        return curl_easy_perform(curl)
      }
    }
    guard code == CURLE_OK else {
      if collected.isSilent { throw Failure(kind: .timedOut, description: "it has sent nothing for \(mostSilence)") }
      let text = reason[0] == 0 ? Libcurl.text(of: code) : Self.text(reason)
      throw Failure(kind: Self.kind(code), description: text)
    }
    var status = 0
    pushpit_curl_get_long(curl, CURLINFO_RESPONSE_CODE, &status)
    return Reply(status: status, headers: collected.headers, body: collected.body)
  }

  private func prepare(
    _ curl: UnsafeMutableRawPointer, headers list: UnsafeMutablePointer<curl_slist>?, collected: Collected,
    body: UnsafeBufferPointer<UInt8>, reason: UnsafeMutablePointer<CChar>?
  ) {
    pushpit_curl_set_string(curl, CURLOPT_URL, url)
    // A part of the path may be "." or "..".
    pushpit_curl_set_long(curl, CURLOPT_PATH_AS_IS, 1)
    // Of all that libcurl can open, such as files.
    pushpit_curl_set_string(curl, CURLOPT_PROTOCOLS_STR, "http,https")
    pushpit_curl_set_string(curl, CURLOPT_CUSTOMREQUEST, method)
    if !body.isEmpty || method == "POST" {
      pushpit_curl_set_long(curl, CURLOPT_POSTFIELDSIZE, body.count)
      // libcurl does not copy it: the buffer outlives the call.
      let bytes = UnsafeMutableRawPointer(mutating: body.baseAddress.map { UnsafeRawPointer($0) })
      if let bytes { pushpit_curl_set_pointer(curl, CURLOPT_POSTFIELDS, bytes) }
      if bytes == nil { pushpit_curl_set_string(curl, CURLOPT_COPYPOSTFIELDS, "") }
    }
    pushpit_curl_set_pointer(curl, CURLOPT_HTTPHEADER, list)
    pushpit_curl_set_long(curl, CURLOPT_NOSIGNAL, 1)
    // Zero means no limit; then a server that sends nothing for long is considered dead. So it is rounded up.
    let milliseconds = min(timeout, .seconds(86_400 * 365)) / .milliseconds(1)
    pushpit_curl_set_long(curl, CURLOPT_TIMEOUT_MS, Int(milliseconds.rounded(.up)))
    // Never through a proxy: servers are on this machine, or are named directly.
    pushpit_curl_set_string(curl, CURLOPT_PROXY, "")
    let http = version == .http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
    pushpit_curl_set_long(curl, CURLOPT_HTTP_VERSION, Int(http))
    switch authority {
    case .file(let path)?: pushpit_curl_set_string(curl, CURLOPT_CAINFO, path)
    case .text(let text, _)?: pushpit_curl_set_authority(curl, text, text.utf8.count)
    case nil: break
    }
    pushpit_curl_set_pointer(curl, CURLOPT_ERRORBUFFER, reason)
    let context = Unmanaged.passUnretained(collected).toOpaque()
    if timeout == .zero || client != nil {
      // Not libcurl's lowest speed: a comment of three bytes each 15 seconds is slower than one byte a second.
      pushpit_curl_set_progress(curl, timePassed, context)
    }
    pushpit_curl_set_callback(curl, CURLOPT_WRITEFUNCTION, bodyCame)
    pushpit_curl_set_pointer(curl, CURLOPT_WRITEDATA, context)
    pushpit_curl_set_callback(curl, CURLOPT_HEADERFUNCTION, headerCame)
    pushpit_curl_set_pointer(curl, CURLOPT_HEADERDATA, context)
  }

  private static func kind(_ code: CURLcode) -> Failure.Kind {
    switch code {
    case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST: .cannotConnect
    case CURLE_OPERATION_TIMEDOUT: .timedOut
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM: .certificate
    default: .other
    }
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The answer received so far.
private final class Collected {
  let limit: Int
  private let mostSilence: Duration?
  private let client: WaitingClient?
  private var lastBytes = ContinuousClock.now
  /// Takes the body of an answer with status 200.
  private let take: ((UnsafeRawBufferPointer) -> Bool)?
  private var isStreaming = false
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []

  init(
    limit: Int, mostSilence: Duration?, _ client: WaitingClient?, _ take: ((UnsafeRawBufferPointer) -> Bool)?
  ) {
    self.limit = limit
    self.client = client
    self.mostSilence = mostSilence
    self.take = take
  }

  /// True if the server has sent nothing for too long.
  var isSilent: Bool { mostSilence.map { ContinuousClock.now - lastBytes > $0 } ?? false }

  /// True if nobody waits for the rest.
  var isOver: Bool { isSilent || client?.isGone ?? false }

  /// False aborts the transfer.
  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    lastBytes = ContinuousClock.now
    if isStreaming, let take { return take(bytes) }
    guard body.count + bytes.count <= limit else { return false }
    body.append(contentsOf: bytes)
    return true
  }

  func header(_ line: String) {
    if line.hasPrefix("HTTP/") {
      isStreaming = line.split(separator: " ").dropFirst().first == "200"
      return
    }
    guard let colon = line.firstIndex(of: ":") else { return }
    let value = line[line.index(after: colon)...].drop { $0 == " " }
    headers.append((line[..<colon].lowercased(), String(value.prefix { !$0.isNewline })))
  }
}

private let bodyCame: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
  bytes, size, count, context in
  guard let bytes, let context else { return 0 }
  let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
  let collected = Unmanaged<Collected>.fromOpaque(context).takeUnretainedValue()
  return collected.append(part) ? part.count : 0
}

/// Called by libcurl about once a second.
private let timePassed:
  @convention(c) (UnsafeMutableRawPointer?, curl_off_t, curl_off_t, curl_off_t, curl_off_t) -> Int32 = {
    context, _, _, _, _ in
    guard let context else { return 1 }
    return Unmanaged<Collected>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
  }

private let headerCame: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
  bytes, size, count, context in
  guard let bytes, let context else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  Unmanaged<Collected>.fromOpaque(context).takeUnretainedValue().header(String(decoding: line, as: UTF8.self))
  return line.count
}
