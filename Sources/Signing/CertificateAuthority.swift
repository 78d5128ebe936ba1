import COpenSSL

/// The CA clients are asked to trust. It is limited by name constraints, critical ones, so trusting it lets nobody
/// with its key impersonate the rest of the internet.
package struct CertificateAuthority: Sendable {
  /// What every CA of ours permits: this machine, and everything below Apple's push domain.
  package static let alwaysPermitted = ["localhost", "push.apple.com", "127.0.0.0/8", "::1/128"]

  package let certificate: Certificate
  let key: SigningKey
  private let permitted: [PermittedName]

  package var certificatePEM: String { certificate.pem }
  /// PKCS#8 in PEM. A secret.
  package var privateKeyPEM: String { key.p8 }
  /// Unix seconds.
  package var notAfter: Int64 { certificate.notAfter }
  /// As the certificate has them: DNS names, and networks as address/bits.
  package var permittedNames: [String] { permitted.map(\.description) }

  /// A new CA with a new key. `extra` are permitted besides `alwaysPermitted`: DNS names, IP addresses, networks as
  /// address/bits.
  package static func make(
    permittedNames extra: [String], notBefore: Int64, notAfter: Int64, commonName: String = "Pushpit local CA"
  ) throws(SigningFailure) -> CertificateAuthority {
    var permitted: [PermittedName] = []
    for text in alwaysPermitted + extra {
      let name = try PermittedName(text)
      if !permitted.contains(name) { permitted.append(name) }
    }
    let key = try SigningKey.generate()
    let template = CertificateTemplate(
      commonName: commonName, notBefore: notBefore, notAfter: notAfter,
      extensions: [
        (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"),
        (NID_subject_key_identifier, "hash"),
        (NID_name_constraints, "critical," + permitted.map(\.configuration).joined(separator: ",")),
      ])
    let certificate = try template.certificate(for: key.verifyingKey, signedBy: nil, with: key)
    return try CertificateAuthority(certificate, key, certificateFile: "A new CA", keyFile: "A new key")
  }

  /// Reads back what `make` made.
  package init(
    certificatePEM: String, from certificateFile: String, privateKeyPEM: String, from keyFile: String
  ) throws(SigningFailure) {
    let certificate = try Certificate(pem: certificatePEM, from: certificateFile)
    let key = try SigningKey(p8: privateKeyPEM, from: keyFile)
    try self.init(certificate, key, certificateFile: certificateFile, keyFile: keyFile)
  }

  private init(
    _ certificate: Certificate, _ key: SigningKey, certificateFile: String, keyFile: String
  ) throws(SigningFailure) {
    let (mayCertify, names) = OpenSSL.quietly {
      // 1 is the answer for a CA by its basic constraints; older makeshifts have higher numbers.
      (X509_check_ca(certificate.handle.pointer) == 1, certificate.handle.permittedNames())
    }
    guard mayCertify else { throw .notAnAuthority(file: certificateFile) }
    guard let names, !names.isEmpty else { throw .unlimitedAuthority(file: certificateFile) }
    guard certificate.belongs(to: key) else {
      throw .strangersKey(keyFile: keyFile, certificateFile: certificateFile)
    }
    self.certificate = certificate
    self.key = key
    permitted = names
  }

  /// A server certificate with a key of its own. With `evenIfNotPermitted` also for names that clients will refuse
  /// under this CA: a fault to test them with.
  package func issueLeaf(
    names: [String], notBefore: Int64, notAfter: Int64, evenIfNotPermitted: Bool = false
  ) throws(SigningFailure) -> Identity {
    let hosts = try hosts(names, evenIfNotPermitted: evenIfNotPermitted)
    let key = try SigningKey.generate()
    // The common name is no host name, so that clients which still read it have nothing to compare.
    let template = CertificateTemplate(
      commonName: "Pushpit local server", notBefore: notBefore, notAfter: notAfter,
      extensions: [
        (NID_basic_constraints, "critical,CA:FALSE"),
        (NID_key_usage, "critical,digitalSignature"),
        (NID_ext_key_usage, "serverAuth"),
        (NID_subject_key_identifier, "hash"),
        (NID_authority_key_identifier, "keyid:always"),
        (NID_subject_alt_name, hosts.map(\.configuration).joined(separator: ",")),
      ])
    let leaf = try template.certificate(for: key.verifyingKey, signedBy: certificate, with: self.key)
    return Identity(certificatePEM: leaf.pem, privateKeyPEM: key.p8)
  }

  private func hosts(_ names: [String], evenIfNotPermitted: Bool) throws(SigningFailure) -> [HostName] {
    var hosts: [HostName] = []
    for text in names {
      let host = try HostName(text)
      guard evenIfNotPermitted || permitted.contains(where: { $0.permits(host) }) else {
        throw .nameNotPermitted(name: host.description, permitted: permittedNames)
      }
      if !hosts.contains(host) { hosts.append(host) }
    }
    guard !hosts.isEmpty else { throw .noNames }
    return hosts
  }
}
