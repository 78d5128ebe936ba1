import COpenSSL

/// The authority that signs provider certificates, instead of Apple's.
///
/// Only Pushpit trusts it, so its key may be kept.
package struct ProviderAuthority: Sendable {
  package let certificate: Certificate
  package let key: SigningKey

  package static func make(notBefore: Int64, notAfter: Int64) throws(SigningFailure) -> ProviderAuthority {
    let key = try SigningKey.generate()
    let template = CertificateTemplate(
      commonName: "Pushpit provider CA", notBefore: notBefore, notAfter: notAfter,
      extensions: [
        (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"),
        (NID_ext_key_usage, "clientAuth"),
        (NID_subject_key_identifier, "hash"),
      ])
    return ProviderAuthority(
      certificate: try template.certificate(for: key.verifyingKey, signedBy: nil, with: key), key: key)
  }

  package init(certificate: Certificate, key: SigningKey) {
    self.certificate = certificate
    self.key = key
  }

  /// Makes a certificate as Apple's portal does.
  ///
  /// - Parameter key: the key of the certificate; nil for a new one.
  package func issue(
    _ request: PushCertificateRequest, for key: RSAKey? = nil
  ) throws(SigningFailure) -> ProviderIdentity {
    let key = if let key { key } else { try RSAKey.generate() }
    var template = CertificateTemplate(
      subject: [
        ("UID", request.uid), ("CN", request.commonName), ("OU", request.teamID), ("O", "Pushpit"), ("C", "US"),
      ], notBefore: request.notBefore, notAfter: request.notAfter,
      extensions: [
        (NID_basic_constraints, "critical,CA:FALSE"),
        (NID_key_usage, "critical,digitalSignature"),
        (NID_ext_key_usage, "clientAuth"),
        (NID_subject_key_identifier, "hash"),
        (NID_authority_key_identifier, "keyid:always"),
      ])
    template.foreignExtensions = request.extensions
    let certificate = try template.certificate(forKey: key.pointer, signedBy: certificate, with: self.key)
    return ProviderIdentity(certificate: try PushCertificate(certificate.handle, from: "A new certificate"), key: key)
  }
}

/// The contents of a provider certificate to be made.
package struct PushCertificateRequest: Sendable {
  package var uid: String
  package let commonName: String
  package let teamID: String
  /// Unix seconds, both inclusive.
  package let notBefore: Int64
  package let notAfter: Int64
  /// True if the certificate has any of Apple's extensions.
  package var hasAppleExtensions = true
  package var isForDevelopment = false
  package var isForProduction = false
  /// For extension 6.3.6, each with the word for its service.
  package var topics: [(topic: String, service: String)] = []
  /// For extension 6.3.4.
  package var voipTopic: String?

  package init(uid: String, commonName: String, teamID: String, notBefore: Int64, notAfter: Int64) {
    self.uid = uid
    self.commonName = commonName
    self.teamID = teamID
    self.notBefore = notBefore
    self.notAfter = notAfter
  }

  /// In DER. Observed: the markers of the environments are NULL (05 00); in the list of topics, each topic is followed
  /// by a list with its service.
  fileprivate var extensions: [(identifier: String, value: [UInt8])] {
    guard hasAppleExtensions else { return [] }
    var list: [(identifier: PushCertificate.Extension, value: [UInt8])] = []
    if isForDevelopment { list.append((.development, [0x05, 0x00])) }
    if isForProduction { list.append((.production, [0x05, 0x00])) }
    if let voipTopic { list.append((.voip, ObjectStrings.string(voipTopic))) }
    if !topics.isEmpty {
      let values = topics.flatMap {
        [ObjectStrings.string($0.topic), ObjectStrings.list([ObjectStrings.string($0.service)])]
      }
      list.append((.topics, ObjectStrings.list(values)))
    }
    return list.map { ($0.identifier.rawValue, $0.value) }
  }
}

/// A provider's certificate and its key.
package struct ProviderIdentity: Sendable {
  package let certificate: PushCertificate
  let key: RSAKey

  /// The certificate and the key in one text, which most clients can read. A secret.
  package var pem: String { certificate.certificate.pem + key.pem }

  /// The certificate and the key as PKCS#12. A secret.
  package func pkcs12(password: String) throws(SigningFailure) -> [UInt8] {
    try PKCS12.make(
      certificate.certificate.handle, key.pointer, named: certificate.commonName ?? "provider", password: password)
  }
}
