import CLibevent
import HTTP2

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A connection of a load run: socket, TLS, session. Not used again after its end; another one then gets its seat.
final class SendingConnection {
  private enum Phase {
    case connecting
    case handshaking
    case open
    case ended
  }

  /// The seat among the connections of the loop.
  let seat: Int
  /// The loop outlives its connections: it drops them before it ends.
  unowned(unsafe) private let loop: SendingLoop
  let session: ClientSession
  private let socket: Socket
  private let tls: TLSStream
  private var phase = Phase.connecting
  private var reading: LoopEvent?
  private var writing: LoopEvent?
  /// Bytes that a full socket did not accept; those before `unwrittenStart` are written.
  private var unwritten: [UInt8] = []
  private var unwrittenStart = 0
  /// True if OpenSSL must write before it can read on. Until then nothing is read: the event would fire all the time.
  private var readNeedsWriting = false
  /// True if a push was answered here.
  var hasAnswers = false
  /// True if the loop has counted the connection as opened.
  var isCounted = false
  /// The times for which all streams have been in use, and for which the server has taken no data.
  var full = Stopwatch()
  var blocked = Stopwatch()

  /// - Returns: nil if a socket or memory is missing.
  init?(to address: PeerAddress, seat: Int, on loop: SendingLoop) {
    let descriptor = Socket.stream(address.family)
    guard descriptor >= 0 else { return nil }
    evutil_make_socket_nonblocking(descriptor)
    guard let tls = loop.order.tls.makeStream(on: descriptor, to: loop.order.host) else {
      evutil_closesocket(descriptor)
      return nil
    }
    self.seat = seat
    self.loop = loop
    self.tls = tls
    socket = Socket(descriptor: descriptor)
    session = ClientSession(streams: loop.order.streams, loop.head, loop.order.paths, pool: loop.pool)
    reading = LoopEvent(on: loop.base, descriptor: descriptor, events: EV_READ | EV_PERSIST) { [unowned self] in
      becameReadable()
    }
    writing = LoopEvent(on: loop.base, descriptor: descriptor, events: EV_WRITE) { [unowned self] in
      becameWritable()
    }
    socket.sendWithoutDelay()
    _ = address.bytes.withUnsafeBytes { bytes in
      // The result of connect is read when the socket becomes writable.
      connect(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    writing?.add()
  }

  deinit { if phase != .ended { release() } }

  var isOpen: Bool { phase == .open && session.isReady }

  // MARK: What libevent reports

  private func becameReadable() {
    switch phase {
    case .handshaking: shakeHands()
    case .open: read()
    case .connecting, .ended: break
    }
  }

  private func becameWritable() {
    if readNeedsWriting {
      readNeedsWriting = false
      reading?.add()
      becameReadable()
    }
    switch phase {
    case .connecting: finishConnecting()
    case .handshaking: shakeHands()
    case .open: flush(at: Libevent.steadyNanoseconds)
    case .ended: break
    }
  }

  private func finishConnecting() {
    var error: Int32 = 0
    var count = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &error, &count)
    guard error == 0 else { return end(.notOpened(String(cString: strerror(error)))) }
    phase = .handshaking
    reading?.add()
    shakeHands()
  }

  private func shakeHands() {
    switch tls.handshake() {
    case .bytes:
      guard case .h2 = tls.info.alpn else { return end(.notOpened("the server does not speak HTTP/2")) }
      phase = .open
      flush(at: Libevent.steadyNanoseconds)
    case .wantsRead: break
    case .wantsWrite: waitToReadOn()
    case .failed(let error): end(.notOpened("TLS: \(HandshakeFailure.text(of: error))"))
    case .ended, .broken, .flooded: end(.notOpened("it was closed during the TLS handshake"))
    }
  }

  private func read() {
    guard let base = loop.input.baseAddress else { return }
    var filled = 0
    var ending = TLSStream.Outcome.wantsRead
    reading: while true {
      ending = tls.read(base + filled, loop.input.count - filled)
      guard case .bytes(let count) = ending else { break reading }
      filled += count
      if loop.input.count - filled < TLSStream.recordCount {
        session.receive(UnsafeRawBufferPointer(start: base, count: filled))
        filled = 0
      }
    }
    if filled > 0 { session.receive(UnsafeRawBufferPointer(start: base, count: filled)) }
    loop.tookAnswers(of: self)
    guard phase == .open else { return }
    switch ending {
    case .bytes, .wantsRead: break
    case .wantsWrite: waitToReadOn()
    case .flooded: end(.broken("the server sent more than \(TLSNotes.most) messages of TLS without data"))
    case .ended: end(.closed)
    case .failed(let error): end(.broken("TLS: \(HandshakeFailure.text(of: error))"))
    case .broken: end(.broken("the connection was reset"))
    }
  }

  /// OpenSSL has an answer to write before it reads on.
  private func waitToReadOn() {
    readNeedsWriting = true
    reading?.cancel()
    writing?.add()
  }

  // MARK: Writing

  /// Writes as much as possible.
  func flush(at now: Int64) {
    guard phase == .open else { return }
    writeAll()
    guard phase == .open else { return }
    blocked.set(unwritten.count > unwrittenStart || session.isBlocked, at: now)
    full.set(session.isReady && session.isFull, at: now)
    if let failure = session.failure { return end(.broken("HTTP/2: \(failure)")) }
    if session.openCount == 0, !session.isServing { end(.saidGoodbye) }
  }

  private func writeAll() {
    while writeUnwritten() {
      let count = session.fill(loop.output)
      guard count > 0 else { return }
      let written = write(UnsafeRawBufferPointer(rebasing: loop.output[..<count]))
      guard phase == .open else { return }
      if written < count { unwritten.append(contentsOf: loop.output[written..<count]) }
    }
  }

  /// - Returns: whether everything was written.
  private func writeUnwritten() -> Bool {
    guard unwritten.count > unwrittenStart else { return true }
    let written = unwritten.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[unwrittenStart...])) }
    unwrittenStart += written
    guard unwritten.count == unwrittenStart else { return false }
    unwritten.removeAll(keepingCapacity: true)
    unwrittenStart = 0
    return true
  }

  /// - Returns: the number of bytes written. After a failure the connection has ended.
  private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var written = 0
    while written < bytes.count {
      switch tls.write(base + written, bytes.count - written) {
      case .bytes(let count): written += count
      case .wantsWrite:
        writing?.add()
        return written
      case .wantsRead: return written
      case .ended, .failed, .broken, .flooded:
        end(.broken("the connection was reset"))
        return written
      }
    }
    return written
  }

  // MARK: Ending

  enum End {
    /// The connection never carried a push.
    case notOpened(String)
    /// The server sent a GOAWAY, and everything open has ended.
    case saidGoodbye
    case closed
    case broken(String)
    /// The run is over.
    case done
  }

  func end(_ why: End) {
    guard phase != .ended else { return }
    if phase == .open, case .done = why { tls.sendCloseNotify() }
    release()
    loop.ended(self, why)
  }

  /// Frees everything that is not Swift memory; once.
  private func release() {
    phase = .ended
    reading = nil
    writing = nil
    tls.free()
    socket.close()
  }
}
