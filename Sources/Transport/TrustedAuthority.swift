import COpenSSL

/// The certificate authority that a client of Pushpit's own trusts, in PEM.
package enum TrustedAuthority: Hashable, Sendable {
  /// Path of a file.
  case file(String)
  /// The text itself, and where it comes from, such as `http://127.0.0.1:2190/v1/ca.pem`.
  case text(String, from: String)

  /// The file or URL of the authority, for sentences.
  package var place: String {
    switch self {
    case .file(let path): path
    case .text(_, let place): place
    }
  }

  /// Lets the connections of a context trust it.
  ///
  /// - Returns: false if it cannot be read.
  func add(to context: OpaquePointer) -> Bool {
    defer { ERR_clear_error() }
    switch self {
    case .file(let path): return SSL_CTX_load_verify_locations(context, path, nil) == 1
    case .text(let text, _):
      let bytes = Array(text.utf8)
      guard let memory = BIO_new_mem_buf(bytes, Int32(clamping: bytes.count)) else { return false }
      defer { BIO_free(memory) }
      var count = 0
      while let certificate = PEM_read_bio_X509(memory, nil, nil, nil) {
        defer { X509_free(certificate) }
        guard X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) == 1 else { return false }
        count += 1
      }
      return count > 0
    }
  }
}
