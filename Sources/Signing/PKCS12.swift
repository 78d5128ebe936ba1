import COpenSSL

/// Files with a certificate and its key, encrypted with a password: `.p12`, also called `.pfx`.
enum PKCS12 {
  /// Rounds of the key derivation. Few are enough, because the key is valid only for this Pushpit.
  private static let rounds: Int32 = 2048

  /// Triple DES and a MAC with SHA-1, the default of OpenSSL 1.1: all clients can read these. Clients in Go
  /// (golang.org/x/crypto/pkcs12) and older Keychains do not support newer algorithms.
  static func make(
    _ certificate: X509Handle, _ key: OpaquePointer, named name: String, password: String
  ) throws(SigningFailure) -> [UInt8] {
    try OpenSSL.quietly { () throws(SigningFailure) in
      let cipher = NID_pbe_WithSHA1And3_Key_TripleDES_CBC
      // -1 rounds: no MAC yet; it is set below.
      guard
        let file = PKCS12_create(password, name, key, certificate.pointer, nil, cipher, cipher, rounds, -1, 0)
      else { throw OpenSSL.failure("make a .p12 file") }
      defer { PKCS12_free(file) }
      guard PKCS12_set_mac(file, password, -1, nil, 0, rounds, EVP_sha1()) == 1,
        let bytes = OpenSSL.encoded({ i2d_PKCS12(file, $0) })
      else { throw OpenSSL.failure("make a .p12 file") }
      return bytes
    }
  }

  /// The certificate of the key, or the first one if there is no key.
  static func read(_ bytes: [UInt8], password: String, from file: String) throws(SigningFailure) -> PushCertificate {
    try OpenSSL.quietly { () throws(SigningFailure) in
      let decoded = OpenSSL.decoded(bytes, { d2i_PKCS12(nil, $0, $1) }, free: { PKCS12_free($0) })
      guard let decoded else { throw .notProviderFile(file: file) }
      defer { PKCS12_free(decoded) }
      // A file without a password was made with an empty password or with a null one.
      let opens =
        PKCS12_mac_present(decoded) == 0 || PKCS12_verify_mac(decoded, password, -1) == 1
        || password.isEmpty && PKCS12_verify_mac(decoded, nil, 0) == 1
      guard opens else { throw .wrongPassword(file: file) }
      var key: OpaquePointer?
      var certificate: OpaquePointer?
      var others: OpaquePointer?
      guard PKCS12_parse(decoded, password, &key, &certificate, &others) == 1 else {
        throw .oldEncryption(file: file)
      }
      defer {
        EVP_PKEY_free(key)
        for index in 0..<max(0, OPENSSL_sk_num(others)) { X509_free(OpaquePointer(OPENSSL_sk_value(others, index))) }
        OPENSSL_sk_free(others)
      }
      // If the file has no key, OpenSSL returns all certificates in `others`.
      let first = certificate ?? OPENSSL_sk_value(others, 0).map { OpaquePointer($0) }
      guard let first else { throw .noCertificate(file: file) }
      if certificate == nil { X509_up_ref(first) }
      return try PushCertificate(X509Handle(adopting: first), from: file)
    }
  }
}
