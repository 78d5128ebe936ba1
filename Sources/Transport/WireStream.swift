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

  /// Why the handshake has failed, if it is because of the client's certificate.
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

  /// Whether a record is only partly read.
  var isInsideRecord: Bool { if case .tls(let stream) = self { stream.isInsideRecord } else { false } }

  /// Sends close_notify. Never after `failed` or `broken`: OpenSSL forbids it.
  func sayGoodbye() { if case .tls(let stream) = self { stream.sayGoodbye() } }

  /// Whether the client only wanted to identify the server.
  var isProbe: Bool { if case .tls(let stream) = self { stream.isProbe } else { false } }

  /// Results of the handshake; nil behind a relay, which made it.
  var info: TLSInfo? { if case .tls(let stream) = self { stream.info } else { nil } }
}
