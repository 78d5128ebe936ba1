import COpenSSL
import Synchronization

/// The public half of a provider key, with which Apple checks provider tokens.
package final class VerifyingKey: Sendable {
  static let wanted = "a P-256 public key (\"PUBLIC KEY\") or a .p8 private key (\"PRIVATE KEY\")"

  /// SubjectPublicKeyInfo in DER with an uncompressed point: the same bytes for the same key, whatever its file.
  package let spki: [UInt8]
  let key: ECKey
  private let memory = Mutex(SignatureMemory(capacity: signaturesRemembered))

  /// Number of signatures remembered. A backend has a few provider tokens; one that makes a token per push may have
  /// many.
  private static let signaturesRemembered = 1024

  /// Reads a public key, or the public half of a private one.
  package convenience init(pem: String, from file: String) throws(SigningFailure) {
    let block = try PEM(pem, from: file, wanted: Self.wanted)
    switch block.label {
    case "PUBLIC KEY": try self.init(spki: block.bytes, from: file)
    case "PRIVATE KEY":
      try self.init(spki: try ECKey.privateKey(pkcs8: block.bytes, from: file).spki(), from: file)
    default: throw .otherPEM(file: file, found: block.label, wanted: Self.wanted)
    }
  }

  init(spki: [UInt8], from file: String) throws(SigningFailure) {
    key = try ECKey.publicKey(spki: spki, from: file)
    self.spki = try key.spki()
  }

  /// The key as a PEM file, for registration elsewhere.
  package func pem() throws(SigningFailure) -> String {
    try PEM(label: "PUBLIC KEY", bytes: spki).text()
  }

  /// `signature` must be r‖s, 64 bytes; anything else is rejected.
  package func accepts(raw signature: [UInt8], of message: Span<UInt8>) -> Bool {
    guard let der = OpenSSL.quietly({ ECDSASignature.der(raw: signature) }) else { return false }
    return accepts(der: der, of: message)
  }

  package func accepts(der signature: [UInt8], of message: Span<UInt8>) -> Bool {
    OpenSSL.quietly {
      guard let context = EVP_MD_CTX_new() else { return false }
      defer { EVP_MD_CTX_free(context) }
      guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1 else { return false }
      return message.withUnsafeBufferPointer { bytes in
        EVP_DigestVerify(context, signature, signature.count, bytes.baseAddress, bytes.count) == 1
      }
    }
  }

  package func accepts(raw signature: [UInt8], of message: [UInt8]) -> Bool {
    verified(message, signature: [0] + signature) { accepts(raw: signature, of: message.span) }
  }

  package func accepts(der signature: [UInt8], of message: [UInt8]) -> Bool {
    verified(message, signature: [1] + signature) { accepts(der: signature, of: message.span) }
  }

  /// The result for that signature, verified once. Two threads may verify the same signature at the same time.
  ///
  /// - Parameter signature: one byte for the encoding (0 raw, 1 DER), then the signature.
  private func verified(_ message: [UInt8], signature: [UInt8], _ verify: () -> Bool) -> Bool {
    if let known = memory.withLock({ $0.recall(message, signature) }) { return known }
    let isValid = verify()
    memory.withLock { $0.remember(message, signature, isValid: isValid) }
    return isValid
  }
}
