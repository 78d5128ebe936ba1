/// Why a key, a certificate or a file of secrets cannot be used: one sentence that names the file and what would be
/// right.
package enum SigningFailure: Error, Equatable, CustomStringConvertible {
  case unreadable(file: String, reason: String)
  case notAFile(file: String)
  case notText(file: String)
  case tooLong(file: String, limit: Int)
  case unwritable(file: String, reason: String)
  case unremovable(file: String, reason: String)
  case folderNotMade(path: String, reason: String)

  case notPEM(file: String, wanted: String)
  case otherPEM(file: String, found: String, wanted: String)
  case damaged(file: String, wanted: String)
  case otherKey(file: String, found: String)
  case unsoundKey(file: String)
  case notAnAuthority(file: String)
  case unlimitedAuthority(file: String)
  case unusableAuthority(reason: String, folder: String)
  case folderInUse(folder: String, reason: String)

  case notProviderFile(file: String)
  case wrongPassword(file: String)
  case oldEncryption(file: String)
  case noCertificate(file: String)
  case wrongChainOrder(file: String, first: String)
  case otherKeyThanCertificate(file: String)
  case noAppleExtension(file: String)
  case noTopic(file: String)
  case otherCertificateKey(file: String, found: String)

  case badIdentifier(what: String, text: String)
  case badName(text: String)
  case noNames
  case nameNotPermitted(name: String, permitted: [String])
  case badDates(notBefore: Int64, notAfter: Int64)
  case library(doing: String, reason: String)

  package var description: String {
    switch self {
    case .unreadable(let file, let reason):
      "\(file) cannot be read (\(reason)); a file this user may read would be right."
    case .notAFile(let file):
      "\(file) is a folder or a device; the path of an ordinary file would be right."
    case .notText(let file):
      "\(file) is not text; a PEM file, which begins with \"-----BEGIN\", would be right."
    case .tooLong(let file, let limit):
      "\(file) is longer than \(limit) bytes; a PEM file of one key or certificate would be right."
    case .unwritable(let file, let reason):
      "\(file) cannot be written (\(reason)); a path in an existing folder this user may write to would be right."
    case .unremovable(let file, let reason):
      "\(file) cannot be removed (\(reason)); it holds a secret that is no longer needed. Remove it."
    case .folderNotMade(let path, let reason):
      "\(path) cannot be created: \(reason)."
    case .notPEM(let file, let wanted):
      "\(file) holds no PEM block; \(wanted) would be right."
    case .otherPEM(let file, let found, let wanted):
      "\(file) holds a PEM block \"\(found)\"; \(wanted) would be right."
    case .damaged(let file, let wanted):
      "\(file) is cut short or damaged; \(wanted), whole and unchanged, would be right."
    case .otherKey(let file, let found):
      "\(file) holds a key of the kind \(found); ES256 needs an elliptic curve key on P-256 (prime256v1)."
    case .unsoundKey(let file):
      "\(file) holds a P-256 key whose numbers do not fit together; a key exported unchanged would be right."
    case .notAnAuthority(let file):
      "\(file) is a certificate that may not sign others; the CA made by `pushpit certs` would be right."
    case .unlimitedAuthority(let file):
      "\(file) is a CA not limited by name constraints; one made by `pushpit certs` would be right."
    case .unusableAuthority(let reason, let folder):
      "\(reason) `pushpit certs --renew --state '\(folder)'` makes a new CA, which clients must be given again."
    case .folderInUse(let folder, let reason):
      "A new certificate authority is needed, because \(reason); but a server is running on \(folder), and new clients "
        + "would no longer trust it. Nothing was changed: stop that server first, or use another folder (--state)."
    case .notProviderFile(let file):
      "\(file) is neither PEM nor PKCS#12 (.p12); a provider's certificate in one of the two would be right."
    case .wrongPassword(let file):
      "\(file) does not open with this password; --password takes the one it was exported with."
    case .oldEncryption(let file):
      "\(file) is encrypted as OpenSSL 3 reads it only with its legacy provider (Keychain Access exports so); "
        + "`openssl pkcs12 -legacy -nodes -in \(file) -out provider.pem` makes a PEM file that would be right."
    case .noCertificate(let file):
      "\(file) holds no certificate; one with its certificate (\"CERTIFICATE\") would be right."
    case .wrongChainOrder(let file, let first):
      "\(file) has its certificates in the wrong order: \(first) comes first; the provider's own would be right, and "
        + "those of authorities after it."
    case .otherKeyThanCertificate(let file):
      "\(file) holds a key that does not belong to its certificate; the key of its request would be right."
    case .noAppleExtension(let file):
      "\(file) is no push certificate: it has none of Apple's extensions (1.2.840.113635.100.6.3); one from Apple's "
        + "portal or from `pushpit certs provider` would be right."
    case .noTopic(let file):
      "\(file) names no topic; Apple's certificates have one in extension 1.2.840.113635.100.6.3.6 or in the subject's "
        + "UID."
    case .otherCertificateKey(let file, let found):
      "\(file) has a key of the kind \(found); a push certificate has an RSA key of at least 2048 bits."
    case .badIdentifier(let what, let text):
      "\(text.debugDescription) is no \(what); letters A-Z, a-z and digits would be right, ten of them as Apple's have."
    case .badName(let text):
      "\(text.debugDescription) is neither a DNS name in ASCII nor an IP address; "
        + "localhost, api.example.test or 127.0.0.1 would be right."
    case .noNames:
      "A server certificate needs a name; at least one DNS name or IP address would be right."
    case .nameNotPermitted(let name, let permitted):
      "\(name) is outside the names this CA is limited to (\(permitted.joined(separator: ", "))); "
        + "make the CA with it among the permitted names."
    case .badDates(let notBefore, let notAfter):
      "A certificate cannot be valid from \(notBefore) to \(notAfter) (Unix seconds); "
        + "an end after its beginning, both between the years 1970 and 9999, would be right."
    case .library(let doing, let reason):
      "OpenSSL could not \(doing): \(reason)."
    }
  }
}
