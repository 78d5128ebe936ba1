import COpenSSL

/// Reads the contents of the file of a provider's certificate, PEM or PKCS#12.
package enum ProviderCertificateFile {
  /// The provider's own certificate, validated as a push certificate.
  ///
  /// - Parameters:
  ///   - password: the password of a PKCS#12 file.
  ///   - path: the file that has these bytes, for errors.
  package static func read(
    _ bytes: [UInt8], password: String, from path: String
  ) throws(SigningFailure) -> PushCertificate {
    guard isPEM(bytes) else { return try sound(try PKCS12.read(bytes, password: password, from: path), path) }
    return try read(pem: String(decoding: bytes, as: UTF8.self), from: path)
  }

  /// The provider's own certificate in a text, validated as a push certificate.
  package static func read(pem text: String, from path: String) throws(SigningFailure) -> PushCertificate {
    try sound(try pem(text, from: path), path)
  }

  private static func sound(_ found: PushCertificate, _ path: String) throws(SigningFailure) -> PushCertificate {
    guard found.hasAppleExtension else { throw .noAppleExtension(file: path) }
    if let kind = found.keyFlaw { throw .otherCertificateKey(file: path, found: kind) }
    guard !found.topics.isEmpty || !found.voipTopics.isEmpty || found.uid != nil else { throw .noTopic(file: path) }
    return found
  }

  private static func isPEM(_ bytes: [UInt8]) -> Bool { String(decoding: bytes, as: UTF8.self).contains("-----BEGIN") }

  private static func pem(_ text: String, from file: String) throws(SigningFailure) -> PushCertificate {
    let blocks = try PEM.all(text, from: file, wanted: Certificate.wanted)
    var certificates: [PushCertificate] = []
    for block in blocks where block.label == "CERTIFICATE" {
      certificates.append(try PushCertificate(der: block.bytes, from: file))
    }
    guard let first = certificates.first else { throw .noCertificate(file: file) }
    guard !first.isAuthority || certificates.count == 1 else {
      throw .wrongChainOrder(file: file, first: first.commonName ?? "an authority's certificate")
    }
    if let key = privateKey(blocks) {
      defer { EVP_PKEY_free(key) }
      guard first.belongs(to: key) else {
        if certificates.contains(where: { $0.belongs(to: key) }) {
          throw .wrongChainOrder(file: file, first: first.commonName ?? "another certificate")
        }
        throw .otherKeyThanCertificate(file: file)
      }
    }
    return first
  }

  /// The first key that can be read without a password. Other keys are ignored, because only the certificate is used.
  private static func privateKey(_ blocks: [PEM]) -> OpaquePointer? {
    OpenSSL.quietly {
      for block in blocks where block.label.hasSuffix("PRIVATE KEY") && block.label != "ENCRYPTED PRIVATE KEY" {
        let key = OpenSSL.decoded(block.bytes, { d2i_AutoPrivateKey(nil, $0, $1) }, free: { EVP_PKEY_free($0) })
        if let key { return key }
      }
      return nil
    }
  }
}
