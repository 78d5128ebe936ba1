import COpenSSL

/// The CA that clients must trust.
///
/// Critical name constraints limit it to DNS names of this machine, of Apple's push hosts and the requested ones. It
/// cannot sign for e-mail addresses or URIs, and its extended key usage allows only TLS servers. IP addresses cannot be
/// limited (see `NameConstraints`), so whoever had its key could sign for any of them. Therefore the key is never
/// exported and disappears with the last reference.
package struct CertificateAuthority: Sendable {
  /// The names that every CA permits: this machine, and everything below Apple's push domain.
  package static let alwaysPermitted = ["localhost", "push.apple.com"]

  package let certificate: Certificate
  private let key: SigningKey
  private let permitted: NameConstraints

  package var certificatePEM: String { certificate.pem }
  /// Unix seconds.
  package var notAfter: Int64 { certificate.notAfter }
  /// DNS names, as in the certificate.
  package var permittedNames: [String] { permitted.names }

  /// A new CA with a new key, for server certificates with these names: DNS names, possibly with a wildcard, and IP
  /// addresses. It also permits `alwaysPermitted`.
  package static func make(
    names: [String], notBefore: Int64, notAfter: Int64, commonName: String = "Pushpit local CA"
  ) throws(SigningFailure) -> CertificateAuthority {
    var permitted = NameConstraints(
      names: alwaysPermitted, mail: [NameConstraints.nowhere], locations: [NameConstraints.nowhere])
    for text in names {
      let host = try HostName(text)
      // A permitted name includes everything below it.
      if case .dns(let name) = host, !permitted.permits(host) {
        permitted.names.append(name.hasPrefix("*.") ? String(name.dropFirst(2)) : name)
      }
    }
    let key = try SigningKey.generate()
    let template = CertificateTemplate(
      commonName: commonName, notBefore: notBefore, notAfter: notAfter,
      extensions: [
        (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"),
        (NID_ext_key_usage, "serverAuth"),
        (NID_subject_key_identifier, "hash"),
        (NID_name_constraints, "critical," + permitted.configuration),
      ])
    let certificate = try template.certificate(for: key.verifyingKey, signedBy: nil, with: key)
    return CertificateAuthority(certificate: certificate, key: key, permitted: permitted)
  }

  private init(certificate: Certificate, key: SigningKey, permitted: NameConstraints) {
    self.certificate = certificate
    self.key = key
    self.permitted = permitted
  }

  /// A server certificate with a new key, or for a given key. With `evenIfNotPermitted` also for names that clients
  /// will reject under this CA, which is a fault to test them with.
  package func issueLeaf(
    names: [String], notBefore: Int64, notAfter: Int64, key given: SigningKey? = nil, evenIfNotPermitted: Bool = false
  ) throws(SigningFailure) -> Identity {
    let hosts = try hosts(names, evenIfNotPermitted: evenIfNotPermitted)
    let key = if let given { given } else { try SigningKey.generate() }
    return try issueLeaf(
      alternativeName: hosts.map(\.configuration).joined(separator: ","), notBefore: notBefore, notAfter: notAfter,
      key: key)
  }

  /// As above, with a subject alternative name of any kind in OpenSSL's configuration language. For tests of what a CA
  /// cannot sign.
  package func issueLeaf(
    alternativeName: String, notBefore: Int64, notAfter: Int64, key: SigningKey
  ) throws(SigningFailure) -> Identity {
    // The common name is not a host name, so that clients that still read it find nothing to compare.
    let template = CertificateTemplate(
      commonName: "Pushpit local server", notBefore: notBefore, notAfter: notAfter,
      extensions: [
        (NID_basic_constraints, "critical,CA:FALSE"),
        (NID_key_usage, "critical,digitalSignature"),
        (NID_ext_key_usage, "serverAuth"),
        (NID_subject_key_identifier, "hash"),
        (NID_authority_key_identifier, "keyid:always"),
        (NID_subject_alt_name, alternativeName),
      ])
    let leaf = try template.certificate(for: key.verifyingKey, signedBy: certificate, with: self.key)
    return Identity(certificatePEM: leaf.pem, privateKeyPEM: key.p8)
  }

  private func hosts(_ names: [String], evenIfNotPermitted: Bool) throws(SigningFailure) -> [HostName] {
    var hosts: [HostName] = []
    for text in names {
      let host = try HostName(text)
      guard evenIfNotPermitted || permitted.permits(host) else {
        throw .nameNotPermitted(name: host.description, permitted: permittedNames)
      }
      if !hosts.contains(host) { hosts.append(host) }
    }
    guard !hosts.isEmpty else { throw .noNames }
    return hosts
  }
}
