import COpenSSL

/// Owner of one `X509`.
///
/// Sendable, because a certificate does not change after it is signed or read, before which only its maker holds it,
/// and OpenSSL guards its cached values with the certificate's own lock.
final class X509Handle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(adopting pointer: OpaquePointer) { self.pointer = pointer }

  deinit { X509_free(pointer) }

  /// The names in the subject alternative name extension, in order; only DNS and IP.
  func alternativeNames() -> [HostName] {
    let found = X509_get_ext_d2i(pointer, NID_subject_alt_name, nil, nil).map { OpaquePointer($0) }
    defer { GENERAL_NAMES_free(found) }
    return (0..<max(0, OPENSSL_sk_num(found))).compactMap { index in
      guard let entry = OPENSSL_sk_value(found, index) else { return nil }
      return switch Self.value(of: entry.assumingMemoryBound(to: GENERAL_NAME.self)) {
      case (GEN_DNS, let bytes): .dns(String(decoding: bytes, as: UTF8.self))
      case (GEN_IPADD, let bytes): .address(bytes)
      default: nil
      }
    }
  }

  /// The permitted part of the name constraints; nil if the certificate has none.
  func nameConstraints() -> NameConstraints? {
    guard let raw = X509_get_ext_d2i(pointer, NID_name_constraints, nil, nil) else { return nil }
    let constraints = raw.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
    defer { NAME_CONSTRAINTS_free(constraints) }
    guard let subtrees = constraints.pointee.permittedSubtrees else { return nil }
    var permitted = NameConstraints()
    for index in 0..<max(0, OPENSSL_sk_num(subtrees)) {
      guard let entry = OPENSSL_sk_value(subtrees, index),
        let base = entry.assumingMemoryBound(to: GENERAL_SUBTREE.self).pointee.base
      else { continue }
      let (kind, bytes) = Self.value(of: base)
      let text = String(decoding: bytes, as: UTF8.self)
      switch kind {
      case GEN_DNS: permitted.names.append(text)
      case GEN_EMAIL: permitted.mail.append(text)
      case GEN_URI: permitted.locations.append(text)
      case GEN_IPADD: permitted.limitsAddresses = true
      default: break
      }
    }
    return permitted
  }

  /// True if the extended key usage is server authentication only.
  var isForServersOnly: Bool { X509_get_extended_key_usage(pointer) == UInt32(XKU_SSL_SERVER) }

  /// Unix seconds of one end of the validity; nil if the certificate's text is not a valid time.
  static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
    defer { ASN1_TIME_free(epoch) }
    var days: Int32 = 0
    var seconds: Int32 = 0
    guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
    return Int64(days) * 86_400 + Int64(seconds)
  }

  /// The kind of a general name and its bytes; only strings (DNS, e-mail, URI, IP) have bytes.
  private static func value(of name: UnsafePointer<GENERAL_NAME>) -> (Int32, [UInt8]) {
    var kind: Int32 = -1
    let value = GENERAL_NAME_get0_value(name, &kind)
    guard [GEN_DNS, GEN_EMAIL, GEN_URI, GEN_IPADD].contains(kind), let value else { return (kind, []) }
    let string = value.assumingMemoryBound(to: ASN1_STRING.self)
    let bytes = UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string)))
    return (kind, Array(bytes))
  }
}
