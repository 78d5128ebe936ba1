/// The certificate and key of a TLS server.
package struct Identity: Hashable, Sendable {
  /// The server's certificate only: clients have the CA.
  package let certificatePEM: String
  /// PKCS#8 in PEM. Secret.
  package let privateKeyPEM: String

  /// Apple's host names for providers and for channel management, in sandbox and production, and this machine.
  package static let defaultNames = [
    "api.sandbox.push.apple.com",
    "api.development.push.apple.com",
    "api.push.apple.com",
    "api-broadcast.sandbox.push.apple.com",
    "api-broadcast.push.apple.com",
    "api-manage-broadcast.sandbox.push.apple.com",
    "api-manage-broadcast.push.apple.com",
    "localhost",
    "127.0.0.1",
    "::1",
  ]

  package init(certificatePEM: String, privateKeyPEM: String) {
    self.certificatePEM = certificatePEM
    self.privateKeyPEM = privateKeyPEM
  }
}
