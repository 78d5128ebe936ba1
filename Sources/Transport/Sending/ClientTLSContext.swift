import COpenSSL

/// The TLS settings of a client that speaks HTTP/2 and trusts one certificate authority.
package final class ClientTLSContext: Sendable {
  /// OpenSSL's `SSL_CTX`. It is changed only before `init` returns; afterwards threads only create connections from it,
  /// which OpenSSL allows (its reference counts and caches are locked).
  nonisolated(unsafe) private let handle: OpaquePointer

  package init(authority: TrustedAuthority) throws(TLSContextFailure) {
    guard let handle = SSL_CTX_new(TLS_client_method()) else { throw .outOfMemory }
    self.handle = handle
    pushpit_ssl_ctx_set_versions(handle, TLS1_2_VERSION, TLS1_3_VERSION)
    pushpit_ssl_ctx_prepare_client(handle)
    TLSNotes.count(on: handle)
    SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
    let offered: [UInt8] = [2, UInt8(ascii: "h"), UInt8(ascii: "2")]
    SSL_CTX_set_alpn_protos(handle, offered, UInt32(offered.count))
    guard authority.add(to: handle) else { throw .unreadableCertificate }
  }

  deinit { SSL_CTX_free(handle) }

  /// The client side of one connection; nil without memory.
  func makeStream(on descriptor: Int32, to host: String) -> TLSStream? {
    TLSStream(client: handle, descriptor: descriptor, host: host)
  }
}
