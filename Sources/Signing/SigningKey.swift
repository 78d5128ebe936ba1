import COpenSSL

/// A P-256 private key: a provider's `.p8`, or the key of a CA or server.
package final class SigningKey: Sendable {
  static let wanted = "a P-256 private key as Apple's .p8 files have it (\"PRIVATE KEY\")"

  /// The key as PKCS#8 in PEM, the format of Apple's downloads. Secret.
  package let p8: String
  package let verifyingKey: VerifyingKey
  let key: ECKey

  package convenience init(p8 pem: String, from file: String) throws(SigningFailure) {
    let block = try PEM(pem, from: file, wanted: Self.wanted)
    guard block.label == "PRIVATE KEY" else {
      throw .otherPEM(file: file, found: block.label, wanted: Self.wanted)
    }
    try self.init(try ECKey.privateKey(pkcs8: block.bytes, from: file))
  }

  package static func generate() throws(SigningFailure) -> SigningKey {
    try SigningKey(try ECKey.generate())
  }

  private init(_ key: ECKey) throws(SigningFailure) {
    self.key = key
    p8 = try OpenSSL.quietly { () throws(SigningFailure) in
      let buffer = try MemoryBuffer()
      guard PEM_write_bio_PKCS8PrivateKey(buffer.pointer, key.pointer, nil, nil, 0, nil, nil) == 1 else {
        throw OpenSSL.failure("write a private key")
      }
      return buffer.text
    }
    verifyingKey = try VerifyingKey(spki: try key.spki(), from: "a private key")
  }

  /// The ES256 signature in the format of JSON Web Signatures: r‖s, 64 bytes.
  package func sign(_ message: [UInt8]) throws(SigningFailure) -> [UInt8] {
    let der = try signDER(message)
    return try OpenSSL.quietly { () throws(SigningFailure) in
      guard let raw = ECDSASignature.raw(der: der) else { throw OpenSSL.failure("take a signature apart") }
      return raw
    }
  }

  /// The signature in DER, as made by OpenSSL's command line.
  package func signDER(_ message: [UInt8]) throws(SigningFailure) -> [UInt8] {
    try OpenSSL.quietly { () throws(SigningFailure) in
      guard let context = EVP_MD_CTX_new() else { throw OpenSSL.failure("sign") }
      defer { EVP_MD_CTX_free(context) }
      var count = 0
      guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer) == 1,
        EVP_DigestSign(context, nil, &count, message, message.count) == 1
      else { throw OpenSSL.failure("sign") }
      // The first call returns the maximum length; the second, the actual length.
      var signature = [UInt8](repeating: 0, count: count)
      guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else {
        throw OpenSSL.failure("sign")
      }
      return Array(signature.prefix(count))
    }
  }
}
