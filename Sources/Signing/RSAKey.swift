import COpenSSL

/// The key of a provider's certificate.
///
/// Observed: certificates of Apple's portal have RSA keys of 2,048 bits.
///
/// Sendable, because the key never changes after `init`, and OpenSSL allows several threads to use one `EVP_PKEY` if
/// each call uses a separate context, as every call here does (openssl-threads(7)).
package final class RSAKey: @unchecked Sendable {
  let pointer: OpaquePointer
  /// PKCS#8 in PEM. A secret.
  package let pem: String

  /// Minimum number of bits of a key in a push certificate.
  static let bits = 2048

  package static func generate() throws(SigningFailure) -> RSAKey {
    try OpenSSL.quietly { () throws(SigningFailure) in
      guard let pointer = pushpit_generate_rsa(UInt32(bits)) else { throw OpenSSL.failure("make an RSA key") }
      return try RSAKey(adopting: pointer)
    }
  }

  /// Takes ownership of `pointer`, even if it throws.
  private init(adopting pointer: OpaquePointer) throws(SigningFailure) {
    self.pointer = pointer
    let buffer = try MemoryBuffer()
    guard PEM_write_bio_PKCS8PrivateKey(buffer.pointer, pointer, nil, nil, 0, nil, nil) == 1 else {
      throw OpenSSL.failure("write a private key")
    }
    pem = buffer.text
  }

  deinit { EVP_PKEY_free(pointer) }

  /// The type of a key that is not valid for a push certificate; nil for a valid key.
  static func flaw(of pointer: OpaquePointer?) -> String? {
    guard let pointer else { return "unknown" }
    let bits = Int(EVP_PKEY_get_bits(pointer))
    if EVP_PKEY_is_a(pointer, "RSA") == 1 { return bits >= Self.bits ? nil : "RSA of \(bits) bits" }
    let name = EVP_PKEY_get0_type_name(pointer).map { String(cString: $0) } ?? "unknown"
    return "\(name) of \(bits) bits"
  }
}
