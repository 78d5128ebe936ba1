import COpenSSL
import Glibc
import Synchronization

/// A client that speaks TLS and frames and nothing more: what it hears is what was on the wire, in its order.
final class FrameClient: Sendable {
  struct Failure: Error { let text: String }

  enum Heard: Equatable, Sendable {
    case frame(Frame)
    /// TLS's goodbye.
    case goodbye
    /// FIN without TLS's goodbye.
    case cut
    case reset
    /// Nothing came for so long that the test is lost.
    case silence
    case alert(String)
  }

  struct Frame: Equatable, Sendable {
    enum Kind: UInt8, Sendable {
      case data, headers, priority, rstStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    let kind: Kind
    var flags: UInt8 = 0
    var stream = 0
    var payload: [UInt8] = []

    var ends: Bool { flags & 1 != 0 && (kind == .data || kind == .headers) }
    var isAnswer: Bool { flags & 1 != 0 && (kind == .ping || kind == .settings) }
    var text: String { String(decoding: payload, as: UTF8.self) }
    func number(at offset: Int) -> Int { payload[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } }
  }

  private struct State {
    var descriptor: Int32
    var ssl: OpaquePointer?
    var context: OpaquePointer?
    var unread: [UInt8] = []
    /// More than any test takes, its waits for the thread pool of the tests included.
    static let patience = timeval(tv_sec: 600, tv_usec: 0)
  }

  private let state: Mutex<State>

  /// Connects; no TLS yet.
  ///
  /// - Parameter receiveBuffer: bytes that the kernel keeps for it, with a small buffer on the other side; nil for the
  ///   usual numbers.
  init(port: Int, host: UInt32 = 0x7F00_0001, receiveBuffer: Int32? = nil) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
      // The kernel's buffer for what the server sends grows with the size of segments, which is 64 KiB on the loopback.
      var segment: Int32 = 536
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = host.bigEndian
    var patience = State.patience
    for direction in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, direction, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      let refused = errno == ECONNREFUSED
      Glibc.close(descriptor)
      if refused { throw PlainSocket.Refused() }
      throw Failure(text: "connect: \(errno)")
    }
    state = Mutex(State(descriptor: descriptor))
  }

  deinit { close() }

  /// A client that has shaken hands, said hello and heard the server's SETTINGS.
  ///
  /// In one go on a thread of its own: the server limits the time for it, and the pool of the tests may be busy for
  /// longer.
  static func greeted(
    port: Int, host: UInt32 = 0x7F00_0001, settings: [UInt8] = []
  ) async throws -> (FrameClient, hello: Frame) {
    let client = try FrameClient(port: port, host: host)
    return (client, hello: try await aside { Result { try client.blockingGreeting(settings) } }.get())
  }

  private func blockingGreeting(_ settings: [UInt8]) throws -> Frame {
    if let failed = blockingShakeHands() { throw Failure(text: "handshake: \(failed)") }
    send(Bytes.preface + Bytes.frame(4, settings))
    guard case .frame(let hello) = blockingNext(), hello.kind == .settings else { throw Failure(text: "no SETTINGS") }
    guard case .frame(let answer) = blockingNext(), answer.kind == .settings, answer.isAnswer else {
      throw Failure(text: "no acknowledgement")
    }
    return hello
  }

  /// - Returns: nil when it went well.
  func shakeHands() async -> Heard? { await aside { [self] in blockingShakeHands() } }

  /// For dialogues that may not wait for the thread pool of the tests: on a thread of their own.
  func blockingShakeHands() -> Heard? {
    state.withLock { state in
      state.context = SSL_CTX_new(TLS_client_method())
      state.ssl = SSL_new(state.context)
      SSL_set_fd(state.ssl, state.descriptor)
      let result = SSL_connect(state.ssl)
      return result == 1 ? nil : Self.end(of: result, state)
    }
  }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    state.withLock { SSL_write($0.ssl, bytes, Int32(bytes.count)) > 0 }
  }

  /// Sends a KeyUpdate of TLS 1.3 without reading anything.
  ///
  /// - Returns: whether it was sent.
  func updateKeys(asksForAnswer: Bool) -> Bool {
    state.withLock {
      SSL_key_update($0.ssl, asksForAnswer ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED)
      return SSL_do_handshake($0.ssl) == 1
    }
  }

  /// Opens streams with requests that have no body.
  func post(_ streams: Int...) { send(streams.flatMap { Self.request($0) }) }

  static func request(_ stream: Int, ends: Bool = true) -> [UInt8] {
    Bytes.frame(1, flags: ends ? 5 : 4, stream: stream, [0x83, 0x87, 0x84, 0x01, 0x01, 0x78])
  }

  func ping(_ text: String) { send(Bytes.frame(6, Array(text.utf8))) }

  func acknowledgeSettings() { send(Bytes.frame(4, flags: 1)) }

  /// True if anything waits to be read. On the loopback, everything that the server has written is here already.
  var hasSomething: Bool {
    state.withLock {
      var entry = pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
      return !$0.unread.isEmpty || SSL_pending($0.ssl) > 0 || poll(&entry, 1, 0) > 0
    }
  }

  /// True if the other side has reset the connection.
  var isReset: Bool {
    state.withLock {
      var entry = pollfd(fd: $0.descriptor, events: 0, revents: 0)
      return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLERR) != 0
    }
  }

  /// The next frame, or how the connection ended.
  func next() async -> Heard { await aside { [self] in blockingNext() } }

  func blockingNext() -> Heard {
    state.withLock { state in
      while true {
        if let frame = Self.takeFrame(&state.unread) { return .frame(frame) }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = SSL_read(state.ssl, &buffer, Int32(buffer.count))
        guard count > 0 else { return Self.end(of: count, state) }
        state.unread += buffer[..<Int(count)]
      }
    }
  }

  func nextFrame() async throws -> Frame {
    let heard = await next()
    guard case .frame(let frame) = heard else { throw Failure(text: "no frame but \(heard)") }
    return frame
  }

  func frames(_ count: Int) async throws -> [Frame] {
    var frames: [Frame] = []
    for _ in 0..<count { frames.append(try await nextFrame()) }
    return frames
  }

  func close() {
    state.withLock { state in
      SSL_free(state.ssl)
      SSL_CTX_free(state.context)
      if state.descriptor >= 0 { Glibc.close(state.descriptor) }
      (state.ssl, state.context, state.descriptor) = (nil, nil, -1)
    }
  }

  private static func takeFrame(_ bytes: inout [UInt8]) -> Frame? {
    guard bytes.count >= 9 else { return nil }
    let count = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
    guard bytes.count >= 9 + count, let kind = Frame.Kind(rawValue: bytes[3]) else { return nil }
    let stream = bytes[5..<9].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
    let frame = Frame(kind: kind, flags: bytes[4], stream: stream, payload: Array(bytes[9..<(9 + count)]))
    bytes.removeFirst(9 + count)
    return frame
  }

  private static func end(of result: Int32, _ state: State) -> Heard {
    let number = errno
    switch SSL_get_error(state.ssl, result) {
    case SSL_ERROR_ZERO_RETURN: return .goodbye
    case SSL_ERROR_SSL:
      let error = ERR_get_error()
      ERR_clear_error()
      if pushpit_err_reason(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING { return .cut }
      return .alert(ERR_reason_error_string(error).map { String(cString: $0) } ?? "error \(error)")
    default: return number == ECONNRESET ? .reset : number == EAGAIN ? .silence : .cut
    }
  }
}
