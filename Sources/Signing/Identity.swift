/// What a TLS server shows and proves itself with.
package struct Identity: Sendable {
  /// The server's certificate, followed by nothing else: clients have the CA.
  package let certificatePEM: String
  /// PKCS#8 in PEM. A secret.
  package let privateKeyPEM: String

  /// Apple's host names for providers and for managing channels, in the sandbox and in production, and this machine.
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
