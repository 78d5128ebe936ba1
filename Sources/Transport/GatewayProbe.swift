import COpenSSL

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Identifies the server at an address: a TLS handshake with Pushpit's own protocol name, which a Pushpit ends at once
/// and does not count.
package enum GatewayProbe {
  package enum Finding: Hashable, Sendable {
    /// A Pushpit with a certificate for that host, signed by the authority.
    case sound
    /// Speaks TLS, but is not a Pushpit, or an older one.
    case stranger
    case untrusted(String)
    case unreachable(String)
    case noTLS(String)
  }

  package static func look(
    at host: String, port: Int, authority: TrustedAuthority, within limit: Duration = .seconds(10)
  ) -> Finding {
    defer { ERR_clear_error() }
    guard let context = SSL_CTX_new(TLS_client_method()) else { return .noTLS("OpenSSL has no memory") }
    defer { SSL_CTX_free(context) }
    guard authority.add(to: context) else { return .untrusted("\(authority.place) cannot be read") }
    guard let bio = BIO_new_ssl_connect(context) else { return .noTLS("OpenSSL has no memory") }
    defer { BIO_free_all(bio) }
    let name = host.contains(":") ? "[\(host)]" : host
    guard let ssl = pushpit_bio_ssl(bio), pushpit_bio_connect_to(bio, "\(name):\(port)") == 1 else {
      return .unreachable("\(name):\(port) is not an address")
    }
    let offered = [UInt8(probeProtocol.count)] + probeProtocol + [2] + Array("h2".utf8)
    SSL_set_alpn_protos(ssl, offered, UInt32(offered.count))
    // An address is not valid for SNI (RFC 6066 3).
    if !isAddress(host) { pushpit_ssl_set_host(ssl, host) }
    guard pushpit_bio_connect(bio, Int32(clamping: limit.components.seconds)) == 1 else {
      return pushpit_bio_is_connected(bio) ? .noTLS(reason()) : .unreachable(reason())
    }
    guard let certificate = SSL_get0_peer_certificate(ssl) else { return .noTLS("it presents no certificate") }
    let result = SSL_get_verify_result(ssl)
    guard result == X509_V_OK else { return .untrusted(String(cString: X509_verify_cert_error_string(result))) }
    let isNamed =
      isAddress(host)
      ? X509_check_ip_asc(certificate, host, 0) == 1 : X509_check_host(certificate, host, 0, 0, nil) == 1
    guard isNamed else { return .untrusted("the certificate is not for \(host)") }
    var chosen: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &chosen, &count)
    return Int(count) == probeProtocol.count ? .sound : .stranger
  }

  private static func isAddress(_ host: String) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, host, &bytes) == 1
  }

  private static func reason() -> String {
    let error = ERR_peek_last_error()
    guard error != 0 else { return "it did not answer in time" }
    if pushpit_err_is_system(error) { return String(cString: strerror(pushpit_err_reason(error))) }
    return ERR_reason_error_string(error).map { String(cString: $0) } ?? "it gave no reason"
  }
}
