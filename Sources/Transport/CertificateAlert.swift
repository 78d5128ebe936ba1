import COpenSSL

/// The end of a TLS handshake because of the client's certificate.
package struct CertificateAlert: Hashable, Sendable {
  /// The alert that the client gets, with its number in TLS.
  package enum Kind: Int, Hashable, Sendable {
    case revoked = 44
    case expired = 45
    case unknownAuthority = 48

    /// OpenSSL chooses the alert by the result of the verification.
    fileprivate var result: Int32 {
      switch self {
      case .revoked: X509_V_ERR_CERT_REVOKED
      case .expired: X509_V_ERR_CERT_HAS_EXPIRED
      case .unknownAuthority: X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
      }
    }
  }

  package let kind: Kind
  /// The problem of the certificate, without a full stop.
  package let sentence: String

  package init(_ kind: Kind, _ sentence: String) {
    self.kind = kind
    self.sentence = sentence
  }

  /// Decides about the certificate of one connection.
  typealias Judge = (ClientCertificate) -> CertificateAlert?

  /// Accepts every certificate of a context's clients unless the connection's judge rejects it.
  static func judge(on context: OpaquePointer) {
    SSL_CTX_set_cert_verify_callback(
      context,
      { store, _ in
        guard let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
          let notes = TLSNotes.of(OpaquePointer(ssl)), let judge = notes.pointee.judge,
          let leaf = X509_STORE_CTX_get0_cert(store), let alert = judge(ClientCertificate(leaf))
        else { return 1 }
        notes.pointee.alert = alert
        X509_STORE_CTX_set_error(store, alert.kind.result)
        return 0
      }, nil)
  }
}
