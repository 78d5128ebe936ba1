import COpenSSL

/// The two formats of an ES256 signature: raw r‖s of JSON Web Signatures (RFC 7518 3.4), and DER as made by OpenSSL's
/// command line and Apple's own curl recipe.
enum ECDSASignature {
  /// Number of bytes of r and of s on P-256.
  private static let half: Int32 = 32

  static func der(raw: [UInt8]) -> [UInt8]? {
    guard raw.count == 2 * Int(half), let pair = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(pair) }
    let (r, s) = raw.withUnsafeBufferPointer { bytes in
      (BN_bin2bn(bytes.baseAddress, half, nil), BN_bin2bn(bytes.baseAddress.map { $0 + Int(half) }, half, nil))
    }
    guard let r, let s, ECDSA_SIG_set0(pair, r, s) == 1 else {
      BN_free(r)
      BN_free(s)
      return nil
    }
    return OpenSSL.encoded { i2d_ECDSA_SIG(pair, $0) }
  }

  static func raw(der: [UInt8]) -> [UInt8]? {
    let pair = OpenSSL.decoded(der, { d2i_ECDSA_SIG(nil, $0, $1) }, free: { ECDSA_SIG_free($0) })
    defer { ECDSA_SIG_free(pair) }
    guard let pair else { return nil }
    var raw = [UInt8](repeating: 0, count: 2 * Int(half))
    let whole = raw.withUnsafeMutableBufferPointer { bytes in
      BN_bn2binpad(ECDSA_SIG_get0_r(pair), bytes.baseAddress, half) == half
        && BN_bn2binpad(ECDSA_SIG_get0_s(pair), bytes.baseAddress.map { $0 + Int(half) }, half) == half
    }
    return whole ? raw : nil
  }
}
