/// The bytes of one connection: with TLS, or as they are behind a relay that has ended TLS.
enum WireStream {
  case tls(TLSStream)
  case relayed(Socket)

  var isRelayed: Bool { if case .relayed = self { true } else { false } }

  func free() { if case .tls(let stream) = self { stream.free() } }

  func handshake() -> TLSStream.Outcome {
    switch self {
    case .tls(let stream): stream.handshake()
    case .relayed: .bytes(0)
    }
  }

  /// Reason of a failed handshake, if that is because of the client's certificate.
  var alert: CertificateAlert? { if case .tls(let stream) = self { stream.alert } else { nil } }

  @inline(__always)
  func read(_ memory: UnsafeMutableRawPointer, _ room: Int) -> TLSStream.Outcome {
    switch self {
    case .tls(let stream): stream.read(memory, room)
    case .relayed(let socket): socket.read(memory, room)
    }
  }

  @inline(__always)
  func write(_ memory: UnsafeRawPointer, _ count: Int) -> TLSStream.Outcome {
    switch self {
    case .tls(let stream): stream.write(memory, count)
    case .relayed(let socket): socket.write(memory, count)
    }
  }

  /// Reads all available data, as far as it fits.
  ///
  /// A record is begun only if a complete one fits. Once begun it is read to its end, because OpenSSL holds the rest
  /// and the socket does not become readable for it.
  ///
  /// - Returns: the number of bytes, and why they are not more.
  func readAll(_ memory: UnsafeMutableRawBufferPointer) -> (count: Int, outcome: TLSStream.Outcome) {
    guard let base = memory.baseAddress else { return (0, .wantsRead) }
    var filled = 0
    while filled + TLSStream.recordCount <= memory.count || isInsideRecord {
      let outcome = read(base + filled, memory.count - filled)
      guard case .bytes(let count) = outcome else { return (filled, outcome) }
      filled += count
    }
    return (filled, .wantsRead)
  }

  /// Reads at most `most` bytes, even if there are more.
  ///
  /// - Returns: the number of bytes; the outcome is `bytes` if there may be more.
  func read(
    _ memory: UnsafeMutableRawBufferPointer, atMost most: Int
  ) -> (count: Int, outcome: TLSStream.Outcome) {
    guard let base = memory.baseAddress else { return (0, .wantsRead) }
    let room = min(most, memory.count)
    var filled = 0
    while filled < room {
      let outcome = read(base + filled, room - filled)
      guard case .bytes(let count) = outcome else { return (filled, outcome) }
      filled += count
    }
    return (filled, .bytes(filled))
  }

  /// True if a record is only partly read.
  private var isInsideRecord: Bool { if case .tls(let stream) = self { stream.isInsideRecord } else { false } }

  /// Sends close_notify. Never after `failed` or `broken`: OpenSSL forbids it.
  func sendCloseNotify() { if case .tls(let stream) = self { stream.sendCloseNotify() } }

  /// True if the client only wanted to identify the server.
  var isProbe: Bool { if case .tls(let stream) = self { stream.isProbe } else { false } }

  /// Results of the handshake; nil behind a relay, which made it.
  var info: TLSInfo? { if case .tls(let stream) = self { stream.info } else { nil } }
}
