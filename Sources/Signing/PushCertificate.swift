import COpenSSL
import WireFormats

/// A provider's certificate, with the values of Apple's extensions.
package struct PushCertificate: Sendable {
  /// Apple's extensions, all below 1.2.840.113635.100.6.3.
  ///
  /// Documented: 6.3.6 lists all topics, 6.3.4 the topics of VoIP ("Sending notification requests to APNs"). Observed:
  /// 6.3.1 marks the sandbox and 6.3.2 production, in tools that read such certificates. Assumed: the format of 6.3.4,
  /// which may be a string or a list.
  enum Extension: String, CaseIterable {
    case development = "1.2.840.113635.100.6.3.1"
    case production = "1.2.840.113635.100.6.3.2"
    case voip = "1.2.840.113635.100.6.3.4"
    case topics = "1.2.840.113635.100.6.3.6"
  }

  package let certificate: Certificate
  package let commonName: String?
  /// The subject's UID.
  package let uid: String?
  /// The topics in extension 6.3.6.
  package let topics: [String]
  /// The topics in extension 6.3.4.
  package let voipTopics: [String]
  package let isForDevelopment: Bool
  package let isForProduction: Bool
  package let hasAppleExtension: Bool
  /// The type of the key if it is not valid for a push certificate, otherwise nil.
  package let keyFlaw: String?
  /// SHA-256 over the whole certificate, in hex.
  package let fingerprint: String

  package init(der: [UInt8], from file: String) throws(SigningFailure) {
    let pointer = OpenSSL.quietly {
      OpenSSL.decoded(der, { d2i_X509(nil, $0, $1) }, free: { X509_free($0) })
    }
    guard let pointer else { throw .damaged(file: file, wanted: Certificate.wanted) }
    try self.init(X509Handle(adopting: pointer), from: file)
  }

  init(_ handle: X509Handle, from file: String) throws(SigningFailure) {
    certificate = try Certificate(handle, from: file)
    let values = OpenSSL.quietly {
      Extension.allCases.reduce(into: [Extension: [UInt8]]()) { $0[$1] = handle.value(of: $1.rawValue) }
    }
    // An extension that cannot be read counts as an empty list.
    topics = values[.topics].flatMap(ObjectStrings.read) ?? []
    voipTopics = values[.voip].flatMap(ObjectStrings.read) ?? []
    isForDevelopment = values[.development] != nil
    isForProduction = values[.production] != nil
    hasAppleExtension = !values.isEmpty
    (commonName, uid, keyFlaw, fingerprint) = OpenSSL.quietly {
      (
        handle.subjectText(NID_commonName), handle.subjectText(NID_userId),
        RSAKey.flaw(of: X509_get0_pubkey(handle.pointer)), handle.fingerprint
      )
    }
  }

  /// True if it is the certificate of an authority.
  var isAuthority: Bool { OpenSSL.quietly { X509_check_ca(certificate.handle.pointer) != 0 } }

  func belongs(to key: OpaquePointer) -> Bool {
    OpenSSL.quietly { X509_check_private_key(certificate.handle.pointer, key) == 1 }
  }
}

extension X509Handle {
  /// The value of an extension in DER, by its object identifier.
  fileprivate func value(of identifier: String) -> [UInt8]? {
    guard let object = OBJ_txt2obj(identifier, 1) else { return nil }
    defer { ASN1_OBJECT_free(object) }
    let place = X509_get_ext_by_OBJ(pointer, object, -1)
    guard place >= 0, let found = X509_get_ext(pointer, place), let data = X509_EXTENSION_get_data(found) else {
      return nil
    }
    return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data))))
  }

  /// The first part of that type in the subject.
  fileprivate func subjectText(_ nid: Int32) -> String? {
    let name = X509_get_subject_name(pointer)
    let place = X509_NAME_get_index_by_NID(name, nid, -1)
    guard place >= 0, let entry = X509_NAME_get_entry(name, place) else { return nil }
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = ASN1_STRING_to_UTF8(&bytes, X509_NAME_ENTRY_get_data(entry))
    guard count >= 0, let bytes else { return nil }
    defer { CRYPTO_free(bytes, #file, #line) }
    return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }

  fileprivate var fingerprint: String {
    var digest = [UInt8](repeating: 0, count: 32)
    guard X509_digest(pointer, EVP_sha256(), &digest, nil) == 1 else { return "" }
    return Hex.encode(digest)
  }
}
