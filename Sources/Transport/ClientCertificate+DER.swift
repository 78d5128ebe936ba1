import COpenSSL

extension ClientCertificate {
  /// Nil if the bytes are not a certificate.
  init?(der: [UInt8]) {
    let certificate = der.withUnsafeBufferPointer { buffer in
      var place = buffer.baseAddress
      return d2i_X509(nil, &place, buffer.count)
    }
    // The queue belongs to the thread: leftover errors would be attributed to the next connection.
    defer { ERR_clear_error() }
    guard let certificate else { return nil }
    defer { X509_free(certificate) }
    self.init(der: der, subject: Self.subject(of: certificate))
  }

  /// Copies OpenSSL's `X509`.
  init(_ certificate: OpaquePointer) {
    var der = [UInt8](repeating: 0, count: Int(max(i2d_X509(certificate, nil), 0)))
    der.withUnsafeMutableBufferPointer { buffer in
      var place = buffer.baseAddress
      i2d_X509(certificate, &place)
    }
    self.init(der: der, subject: Self.subject(of: certificate))
  }

  /// XN_FLAG_RFC2253, a macro that is not available in Swift: escaped, in UTF-8, most specific part first.
  private static let rfc2253 = UInt(
    ASN1_STRFLGS_ESC_2253 | ASN1_STRFLGS_ESC_CTRL | ASN1_STRFLGS_UTF8_CONVERT | ASN1_STRFLGS_DUMP_UNKNOWN
      | ASN1_STRFLGS_DUMP_DER | XN_FLAG_SEP_COMMA_PLUS | XN_FLAG_DN_REV | XN_FLAG_FN_SN | XN_FLAG_DUMP_UNKNOWN_FIELDS)

  static func subject(of certificate: OpaquePointer) -> String {
    guard let bio = BIO_new(BIO_s_mem()) else { return "" }
    defer { BIO_free(bio) }
    X509_NAME_print_ex(bio, X509_get_subject_name(certificate), 0, rfc2253)
    var bytes: UnsafeMutablePointer<CChar>?
    let count = pushpit_bio_memory(bio, &bytes)
    guard let bytes, count > 0 else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
