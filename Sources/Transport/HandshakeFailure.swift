import COpenSSL

/// The reason of a failed TLS handshake, as far as the server can tell.
package enum HandshakeFailure: Hashable, Sendable {
  /// The client rejected the server's certificate; OpenSSL's text of the alert.
  case distrusted(alert: String)
  case plainHTTP1
  case plainHTTP2
  case versionTooOld
  case noSharedCipher
  case notTLS
  /// The client disconnected during the handshake.
  case abandoned
  case timedOut
  /// TLS is established, but the first bytes of HTTP/2 are missing.
  case noPreface
  /// The server has rejected the client's certificate.
  case certificate(CertificateAlert)
  case other(String)

  package var sentence: String {
    switch self {
    case .distrusted(let alert):
      "the client rejected the server's certificate (\(alert)): it does not trust this server's certificate "
        + "authority, or it asked for a host name that is not in the certificate"
    case .plainHTTP1: "the client sent plain HTTP to a TLS port: use https://"
    case .plainHTTP2: "the client sent HTTP/2 without TLS to a TLS port: use https://"
    case .versionTooOld: "the client does not offer TLS 1.2 or later"
    case .noSharedCipher: "the client and the server have no cipher suite or key type in common"
    case .notTLS: "the client sent something that is not TLS"
    case .abandoned:
      "the client disconnected during the TLS handshake; some clients do this if they do not trust the server's "
        + "certificate"
    case .timedOut: "the client did not finish the TLS handshake in time"
    case .noPreface: "the client did not send its HTTP/2 preface and SETTINGS in time"
    case .certificate(let alert): alert.sentence
    case .other(let text): "the TLS handshake failed: \(text)"
    }
  }

  /// Recognises other protocols by the first bytes of a connection; nil if they may be TLS.
  init?(firstBytes: UnsafeRawBufferPointer) {
    guard let first = firstBytes.first, first != Self.handshakeRecord else { return nil }
    if firstBytes.starts(with: "PRI * HTTP/2".utf8) {
      self = .plainHTTP2
    } else if Self.methods.contains(where: { firstBytes.starts(with: $0.utf8) }) {
      self = .plainHTTP1
    } else {
      self = .notTLS
    }
  }

  /// Translates OpenSSL's error; nil if it is unknown.
  init?(error: UInt) {
    let reason = pushpit_err_reason(error)
    switch reason {
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA, SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN,
      SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED,
      SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE, SSL_R_TLSV1_ALERT_ACCESS_DENIED:
      self = .distrusted(alert: Self.text(of: error))
    case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST: self = .plainHTTP1
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION,
      SSL_R_WRONG_SSL_VERSION:
      self = .versionTooOld
    case SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM, SSL_R_NO_SUITABLE_KEY_SHARE,
      SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS:
      self = .noSharedCipher
    case SSL_R_UNEXPECTED_EOF_WHILE_READING: self = .abandoned
    default: return nil
    }
  }

  /// First byte of a record that carries a handshake (RFC 8446 section 5.1).
  private static let handshakeRecord: UInt8 = 22
  private static let methods = ["GET ", "POST ", "PUT ", "HEAD ", "DELETE ", "OPTIONS ", "CONNECT ", "PATCH "]

  static func text(of error: UInt) -> String {
    guard let reason = ERR_reason_error_string(error) else { return "OpenSSL error \(error)" }
    return String(cString: reason)
  }
}
