import COpenSSL

/// Owner of one `EVP_PKEY` with a valid key on P-256.
///
/// Sendable, because the key never changes after `init`, and OpenSSL allows several threads to sign and verify with one
/// `EVP_PKEY` if each call uses a separate context, as every call here does (openssl-threads(7)).
final class ECKey: @unchecked Sendable {
  enum Half { case whole, publicOnly }

  let pointer: OpaquePointer

  /// Takes ownership of `pointer`, even if it throws.
  init(adopting pointer: OpaquePointer, _ half: Half, from file: String) throws(SigningFailure) {
    self.pointer = pointer
    let kind = Self.kind(of: pointer)
    guard kind == "prime256v1" else { throw .otherKey(file: file, found: kind) }
    // A key may have a compressed point or explicit parameters; it is normalized to the common form.
    guard EVP_PKEY_set_utf8_string_param(pointer, "point-format", "uncompressed") == 1,
      EVP_PKEY_set_utf8_string_param(pointer, "encoding", "named_curve") == 1
    else { throw OpenSSL.failure("normalise the key of \(file)") }
    guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else {
      throw OpenSSL.failure("examine the key of \(file)")
    }
    defer { EVP_PKEY_CTX_free(context) }
    let sound = half == .whole ? EVP_PKEY_check(context) : EVP_PKEY_public_check(context)
    guard sound == 1 else { throw .unsoundKey(file: file) }
  }

  deinit { EVP_PKEY_free(pointer) }

  static func generate() throws(SigningFailure) -> ECKey {
    try OpenSSL.quietly { () throws(SigningFailure) in
      guard let pointer = pushpit_generate_p256() else { throw OpenSSL.failure("make a P-256 key") }
      return try ECKey(adopting: pointer, .whole, from: "a new key")
    }
  }

  static func privateKey(pkcs8: [UInt8], from file: String) throws(SigningFailure) -> ECKey {
    try OpenSSL.quietly { () throws(SigningFailure) in
      let info = OpenSSL.decoded(
        pkcs8, { d2i_PKCS8_PRIV_KEY_INFO(nil, $0, $1) }, free: { PKCS8_PRIV_KEY_INFO_free($0) })
      defer { PKCS8_PRIV_KEY_INFO_free(info) }
      guard let info, let pointer = EVP_PKCS82PKEY(info) else {
        throw .damaged(file: file, wanted: SigningKey.wanted)
      }
      return try ECKey(adopting: pointer, .whole, from: file)
    }
  }

  static func publicKey(spki: [UInt8], from file: String) throws(SigningFailure) -> ECKey {
    try OpenSSL.quietly { () throws(SigningFailure) in
      let pointer = OpenSSL.decoded(spki, { d2i_PUBKEY(nil, $0, $1) }, free: { EVP_PKEY_free($0) })
      guard let pointer else { throw .damaged(file: file, wanted: VerifyingKey.wanted) }
      return try ECKey(adopting: pointer, .publicOnly, from: file)
    }
  }

  /// The public half as SubjectPublicKeyInfo (RFC 5280 4.1.2.7).
  func spki() throws(SigningFailure) -> [UInt8] {
    try OpenSSL.quietly { () throws(SigningFailure) in
      guard let bytes = OpenSSL.encoded({ i2d_PUBKEY(pointer, $0) }) else {
        throw OpenSSL.failure("write a public key")
      }
      return bytes
    }
  }

  /// The curve of an elliptic curve key, or the type of any other key.
  private static func kind(of pointer: OpaquePointer) -> String {
    var name = [CChar](repeating: 0, count: 64)
    if EVP_PKEY_is_a(pointer, "EC") == 1, EVP_PKEY_get_group_name(pointer, &name, name.count, nil) == 1 {
      return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }
    return EVP_PKEY_get0_type_name(pointer).map { String(cString: $0) } ?? "unknown"
  }
}
