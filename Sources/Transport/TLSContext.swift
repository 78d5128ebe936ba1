import COpenSSL

/// The TLS settings of a server: a certificate, its key, and the rules of the handshake.
///
/// TLS 1.2 and 1.3; no tickets, no resumption, no renegotiation. A client certificate is requested, optional, and
/// validated only by the connection's judge. Observed: Apple's servers request one in both versions
/// (docs/behavior/connections.md#tls).
package final class TLSContext: Sendable {
  /// OpenSSL's `SSL_CTX`. It is changed only before `init` returns; afterwards threads only create connections from it,
  /// which OpenSSL allows (its reference counts and caches are locked).
  nonisolated(unsafe) private let handle: OpaquePointer

  /// Both are PEM text. The server's certificate comes first, then intermediate ones.
  package init(certificates: String, key: String) throws(TLSContextFailure) {
    guard let handle = SSL_CTX_new(TLS_server_method()) else { throw .outOfMemory }
    self.handle = handle
    pushpit_ssl_ctx_set_versions(handle, TLS1_2_VERSION, TLS1_3_VERSION)
    pushpit_ssl_ctx_prepare_server(handle)
    TLSNotes.count(on: handle)
    SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
    CertificateAlert.judge(on: handle)
    SSL_CTX_set_alpn_select_cb(handle, chooseProtocol, nil)
    try Self.use(certificates: certificates, in: handle)
    try Self.use(key: key, in: handle)
  }

  deinit { SSL_CTX_free(handle) }

  /// The server side of one connection; nil without memory.
  func makeStream(on descriptor: Int32) -> TLSStream? { TLSStream(context: handle, descriptor: descriptor) }

  private static func use(certificates: String, in context: OpaquePointer) throws(TLSContextFailure) {
    let chain = readCertificates(certificates)
    defer { chain.forEach(X509_free) }
    guard let leaf = chain.first else { throw .unreadableCertificate }
    guard SSL_CTX_use_certificate(context, leaf) == 1 else { throw .unusable(takeError()) }
    for certificate in chain.dropFirst() {
      X509_up_ref(certificate)
      SSL_CTX_ctrl(context, SSL_CTRL_EXTRA_CHAIN_CERT, 0, UnsafeMutableRawPointer(certificate))
    }
  }

  private static func readCertificates(_ text: String) -> [OpaquePointer] {
    guard let bio = memory(text) else { return [] }
    defer {
      BIO_free(bio)
      ERR_clear_error()
    }
    var chain: [OpaquePointer] = []
    while let certificate = PEM_read_bio_X509(bio, nil, nil, nil) { chain.append(certificate) }
    return chain
  }

  private static func use(key text: String, in context: OpaquePointer) throws(TLSContextFailure) {
    guard let bio = memory(text) else { throw .outOfMemory }
    defer {
      BIO_free(bio)
      ERR_clear_error()
    }
    // The callback answers "no pass phrase"; otherwise OpenSSL would ask on the terminal.
    guard let key = PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil) else { throw .unreadableKey }
    defer { EVP_PKEY_free(key) }
    guard SSL_CTX_use_PrivateKey(context, key) == 1, SSL_CTX_check_private_key(context) == 1 else {
      throw .keyDoesNotFit
    }
  }

  /// A copy of the text for OpenSSL; our buffer might be freed before it is read.
  private static func memory(_ text: String) -> OpaquePointer? {
    guard let bio = BIO_new(BIO_s_mem()) else { return nil }
    let bytes = Array(text.utf8)
    guard BIO_write(bio, bytes, Int32(clamping: bytes.count)) == Int32(clamping: bytes.count) else {
      BIO_free(bio)
      return nil
    }
    return bio
  }

  private static func takeError() -> String {
    let error = ERR_peek_last_error()
    ERR_clear_error()
    return HandshakeFailure.text(of: error)
  }
}

package enum TLSContextFailure: Error, Hashable, CustomStringConvertible {
  case unreadableCertificate
  case unreadableKey
  case keyDoesNotFit
  case unusable(String)
  case outOfMemory

  package var description: String {
    switch self {
    case .unreadableCertificate: "the certificate is not PEM text that OpenSSL can read"
    case .unreadableKey: "the private key is not PEM text that OpenSSL can read without a pass phrase"
    case .keyDoesNotFit: "the private key does not match the certificate"
    case .unusable(let reason): "OpenSSL does not accept the certificate: \(reason)"
    case .outOfMemory: "OpenSSL has no memory for a TLS context"
    }
  }
}

/// The protocol that `pushpit doctor` offers besides `h2`, to identify the server. Its connection ends with the
/// handshake and is not counted.
let probeProtocol = Array("pushpit-probe".utf8)

/// Chooses `h2` if it is offered; otherwise the handshake continues without a choice, as at Apple (Observed,
/// docs/behavior/connections.md#http2-only). Not called for a client that offers nothing.
private let chooseProtocol: SSL_CTX_alpn_select_cb_func = { ssl, chosen, chosenCount, offered, offeredCount, _ in
  guard let offered, let chosen, let chosenCount else { return SSL_TLSEXT_ERR_NOACK }
  var at = 0
  while at < Int(offeredCount) {
    let count = Int(offered[at])
    guard at + 1 + count <= Int(offeredCount) else { break }
    if count == probeProtocol.count, (0..<count).allSatisfy({ offered[at + 1 + $0] == probeProtocol[$0] }) {
      chosen.pointee = offered + at + 1
      chosenCount.pointee = UInt8(count)
      return SSL_TLSEXT_ERR_OK
    }
    if count == 2, offered[at + 1] == UInt8(ascii: "h"), offered[at + 2] == UInt8(ascii: "2") {
      chosen.pointee = offered + at + 1
      chosenCount.pointee = 2
      return SSL_TLSEXT_ERR_OK
    }
    at += 1 + count
  }
  TLSNotes.of(ssl)?.pointee.offeredOthers = true
  return SSL_TLSEXT_ERR_NOACK
}
