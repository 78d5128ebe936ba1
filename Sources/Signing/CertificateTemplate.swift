import COpenSSL

/// A certificate before it is signed.
struct CertificateTemplate {
  /// The end of the year 9999, the last date of X.509 (RFC 5280 4.1.2.5.2); Unix seconds.
  private static let lastSecond: Int64 = 253_402_300_799

  /// The parts of the subject, each with its short name.
  let subject: [(field: String, value: String)]
  let notBefore: Int64
  let notAfter: Int64
  /// OpenSSL's number of each extension, and its value in the language of x509v3_config(5).
  let extensions: [(nid: Int32, value: String)]
  /// Extensions that OpenSSL does not know: the object identifier and the value in DER of each.
  var foreignExtensions: [(identifier: String, value: [UInt8])] = []

  init(
    commonName: String, notBefore: Int64, notAfter: Int64, extensions: [(nid: Int32, value: String)]
  ) {
    self.init(
      subject: [("CN", commonName), ("O", "Pushpit")], notBefore: notBefore, notAfter: notAfter,
      extensions: extensions)
  }

  init(
    subject: [(field: String, value: String)], notBefore: Int64, notAfter: Int64,
    extensions: [(nid: Int32, value: String)]
  ) {
    self.subject = subject
    self.notBefore = notBefore
    self.notAfter = notAfter
    self.extensions = extensions
  }

  /// Signs it; without an `issuer` it is self-signed.
  func certificate(
    for key: VerifyingKey, signedBy issuer: Certificate?, with issuerKey: SigningKey
  ) throws(SigningFailure) -> Certificate {
    try certificate(forKey: key.key.pointer, signedBy: issuer, with: issuerKey)
  }

  /// Signs a certificate for a key of any type, an `EVP_PKEY`.
  func certificate(
    forKey key: OpaquePointer, signedBy issuer: Certificate?, with issuerKey: SigningKey
  ) throws(SigningFailure) -> Certificate {
    guard notBefore >= 0, notBefore <= notAfter, notAfter <= Self.lastSecond else {
      throw .badDates(notBefore: notBefore, notAfter: notAfter)
    }
    let handle = try OpenSSL.quietly { () throws(SigningFailure) in
      guard let pointer = X509_new() else { throw OpenSSL.failure("make a certificate") }
      let handle = X509Handle(adopting: pointer)
      let authority = issuer?.handle ?? handle
      try setNumbers(of: handle)
      try setNames(of: handle, issuer: authority)
      guard X509_set_pubkey(pointer, key) == 1 else { throw OpenSSL.failure("set a public key") }
      try addExtensions(to: handle, issuer: authority)
      guard X509_sign(pointer, issuerKey.key.pointer, EVP_sha256()) > 0 else {
        throw OpenSSL.failure("sign a certificate")
      }
      return handle
    }
    return try Certificate(handle, from: "A new certificate")
  }

  /// Version 3 (encoded as 2), an unpredictable serial number, and the two dates.
  private func setNumbers(of handle: X509Handle) throws(SigningFailure) {
    guard X509_set_version(handle.pointer, 2) == 1, let serial = BN_new() else {
      throw OpenSSL.failure("make a certificate")
    }
    defer { BN_free(serial) }
    // 128 random bits; zero, which is forbidden, is practically impossible.
    guard BN_rand(serial, 128, -1, 0) == 1,
      BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(handle.pointer)) != nil
    else { throw OpenSSL.failure("draw a serial number") }
    let begin = ASN1_TIME_set(nil, Int(notBefore))
    let end = ASN1_TIME_set(nil, Int(notAfter))
    defer {
      ASN1_TIME_free(begin)
      ASN1_TIME_free(end)
    }
    guard let begin, let end, X509_set1_notBefore(handle.pointer, begin) == 1,
      X509_set1_notAfter(handle.pointer, end) == 1
    else { throw .badDates(notBefore: notBefore, notAfter: notAfter) }
  }

  private func setNames(of handle: X509Handle, issuer: X509Handle) throws(SigningFailure) {
    let name = X509_get_subject_name(handle.pointer)
    for (field, value) in subject {
      // 0x1001 is MBSTRING_UTF8; -1, -1, 0: length counted by OpenSSL, appended, as a separate part.
      guard X509_NAME_add_entry_by_txt(name, field, 0x1001, value, -1, -1, 0) == 1 else {
        throw OpenSSL.failure("name a certificate")
      }
    }
    guard X509_set_issuer_name(handle.pointer, X509_get_subject_name(issuer.pointer)) == 1 else {
      throw OpenSSL.failure("name an issuer")
    }
  }

  private func addExtensions(to handle: X509Handle, issuer: X509Handle) throws(SigningFailure) {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, issuer.pointer, handle.pointer, nil, nil, 0)
    for (nid, value) in extensions {
      guard let made = X509V3_EXT_conf_nid(nil, &context, nid, value) else {
        throw OpenSSL.failure("make the certificate extension \(value)")
      }
      defer { X509_EXTENSION_free(made) }
      guard X509_add_ext(handle.pointer, made, -1) == 1 else { throw OpenSSL.failure("add an extension") }
    }
    for (identifier, value) in foreignExtensions { try add(identifier, value, to: handle) }
  }

  private func add(_ identifier: String, _ value: [UInt8], to handle: X509Handle) throws(SigningFailure) {
    // 1: the dotted form and no name.
    guard let object = OBJ_txt2obj(identifier, 1), let content = ASN1_OCTET_STRING_new() else {
      throw OpenSSL.failure("make the certificate extension \(identifier)")
    }
    defer {
      ASN1_OBJECT_free(object)
      ASN1_OCTET_STRING_free(content)
    }
    guard ASN1_OCTET_STRING_set(content, value, Int32(value.count)) == 1,
      let made = X509_EXTENSION_create_by_OBJ(nil, object, 0, content)
    else { throw OpenSSL.failure("make the certificate extension \(identifier)") }
    defer { X509_EXTENSION_free(made) }
    guard X509_add_ext(handle.pointer, made, -1) == 1 else { throw OpenSSL.failure("add an extension") }
  }
}
