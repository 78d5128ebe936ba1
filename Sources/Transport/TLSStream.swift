import COpenSSL

/// TLS over one socket. OpenSSL reads and writes the socket itself.
///
/// Owned by one connection, which calls `free` once.
struct TLSStream {
  enum Outcome {
    case bytes(Int)
    case wantsRead
    case wantsWrite
    /// The peer sent close_notify, or just closed.
    case ended
    /// A TLS error occurred or an alert was received; OpenSSL's error.
    case failed(UInt)
    /// The socket failed.
    case broken
    /// The peer sent too many messages of TLS without any data.
    case flooded
  }

  private let ssl: OpaquePointer
  private let notes: TLSNotes.Pointer

  /// Bytes. The maximum size of a record (RFC 8446 5.1), and the largest piece of a write.
  static let recordCount = 16_384

  init?(context: OpaquePointer, descriptor: Int32) {
    guard let ssl = SSL_new(context) else { return nil }
    guard SSL_set_fd(ssl, descriptor) == 1 else {
      SSL_free(ssl)
      return nil
    }
    SSL_set_accept_state(ssl)
    self.ssl = ssl
    notes = TLSNotes.make(for: ssl)
  }

  /// - Parameter host: the name or address that the server's certificate must have.
  init?(client context: OpaquePointer, descriptor: Int32, host: String) {
    guard let ssl = SSL_new(context) else { return nil }
    guard SSL_set_fd(ssl, descriptor) == 1 else {
      SSL_free(ssl)
      return nil
    }
    if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) != 1 {
      ERR_clear_error()
      SSL_set1_host(ssl, host)
      // Only for a name: an address is not valid for SNI (RFC 6066 3).
      pushpit_ssl_set_host(ssl, host)
    }
    SSL_set_connect_state(ssl)
    self.ssl = ssl
    notes = TLSNotes.make(for: ssl)
  }

  func free() {
    SSL_free(ssl)
    TLSNotes.free(notes)
  }

  /// Sets who decides about the client's certificate.
  func judge(by judge: @escaping CertificateAlert.Judge) { notes.pointee.judge = judge }

  /// Reason of a failed handshake, if that is because of the client's certificate.
  var alert: CertificateAlert? { notes.pointee.alert }

  func handshake() -> Outcome {
    let result = SSL_do_handshake(ssl)
    notes.pointee.messages = 0
    return outcome(result)
  }

  /// Bytes copied from a record at a time. Up to this size glibc copies with vector loads; above, with microcode byte
  /// by byte, which is not faster and counts one instruction per byte under callgrind.
  private static let pieceCount = 4096

  func read(_ memory: UnsafeMutableRawPointer, _ room: Int) -> Outcome {
    let result = SSL_read(ssl, memory, Int32(min(room, Self.pieceCount)))
    guard result <= 0 else {
      notes.pointee.messages = 0
      return .bytes(Int(result))
    }
    guard notes.pointee.messages <= TLSNotes.most else {
      ERR_clear_error()
      return .flooded
    }
    return outcome(result)
  }

  /// True if a record is only partly read.
  var isInsideRecord: Bool { SSL_pending(ssl) > 0 }

  func write(_ memory: UnsafeRawPointer, _ count: Int) -> Outcome {
    outcome(SSL_write(ssl, memory, Int32(min(count, Self.recordCount))))
  }

  /// Sends close_notify. Never after `failed` or `broken`: OpenSSL forbids it.
  func sendCloseNotify() {
    if SSL_shutdown(ssl) < 0 { ERR_clear_error() }
  }

  private func outcome(_ result: Int32) -> Outcome {
    if result > 0 { return .bytes(Int(result)) }
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .wantsRead
    case SSL_ERROR_WANT_WRITE: return .wantsWrite
    case SSL_ERROR_ZERO_RETURN: return .ended
    case SSL_ERROR_SSL:
      // The queue belongs to the thread: leftover errors would be attributed to the next connection.
      let error = ERR_peek_error()
      ERR_clear_error()
      return .failed(error)
    default:
      ERR_clear_error()
      return .broken
    }
  }

  // MARK: Results of the handshake

  /// True if the client only wanted to identify the server.
  var isProbe: Bool {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &count)
    guard let name, Int(count) == probeProtocol.count else { return false }
    return (0..<Int(count)).allSatisfy { name[$0] == probeProtocol[$0] }
  }

  var info: TLSInfo {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &count)
    let alpn: TLSInfo.ALPN =
      if count > 0 { .h2 } else if notes.pointee.offeredOthers { .othersOnly } else { .notOffered }
    let version = SSL_get_version(ssl).map { String(cString: $0) } ?? "unknown"
    // Documented: SSL_get_error(3) requires an empty error queue before the next read or write.
    defer { ERR_clear_error() }
    return TLSInfo(version: version, alpn: alpn, clientCertificate: clientCertificate)
  }

  private var clientCertificate: ClientCertificate? {
    guard let certificate = SSL_get0_peer_certificate(ssl) else { return nil }
    return ClientCertificate(certificate)
  }
}
