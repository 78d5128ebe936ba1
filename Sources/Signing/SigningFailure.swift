/// The reason why a key, a certificate or a file of secrets cannot be used: a sentence that names the file and what is
/// valid.
package enum SigningFailure: Error, Equatable, CustomStringConvertible {
  case unreadable(file: String, reason: String)
  case notAFile(file: String)
  case notText(file: String)
  case tooLong(file: String, limit: Int)
  /// A list would become too long for its file to be read again.
  case listFull(file: String, limit: Int)
  case unwritable(file: String, reason: String)
  case unremovable(file: String, reason: String)
  case folderNotMade(path: String, reason: String)
  /// Other users can write to a folder of secrets.
  case folderOpen(path: String, mode: UInt32)
  /// Another user owns a folder of secrets.
  case folderForeign(path: String, owner: UInt32, user: UInt32)
  /// A link of another user leads to a file that is not theirs.
  case foreignLink(file: String)

  case notPEM(file: String, wanted: String)
  case otherPEM(file: String, found: String, wanted: String)
  case damaged(file: String, wanted: String)
  case otherKey(file: String, found: String)
  case unsoundKey(file: String)
  case notAnAuthority(file: String)
  case unlimitedAuthority(file: String)
  case unusableAuthority(reason: String, folder: String)
  case folderInUse(folder: String, reason: String)
  /// Another program has the lock of a folder, and the time to wait for it is over.
  case folderLocked(folder: String)

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
  case wildcardTooWide(text: String)
  case noNames
  case nameNotPermitted(name: String, permitted: [String])
  case badDates(notBefore: Int64, notAfter: Int64)
  case library(doing: String, reason: String)

  package var description: String {
    switch self {
    case .unreadable(let file, let reason):
      "\(file) cannot be read: \(reason)."
    case .notAFile(let file):
      "\(file) is a folder or a device, not a file."
    case .notText(let file):
      "\(file) is not text; it must be a PEM file, which begins with \"-----BEGIN\"."
    case .tooLong(let file, let limit):
      "\(file) is longer than \(limit) bytes; it must be a PEM file with one key or certificate."
    case .listFull(let file, let limit):
      "\(file) would be longer than \(limit) bytes, the most that is read; nothing has been added."
    case .unwritable(let file, let reason):
      "\(file) cannot be written: \(reason)."
    case .unremovable(let file, let reason):
      "\(file) cannot be removed (\(reason)); it holds a secret that is no longer needed. Remove it."
    case .folderNotMade(let path, let reason):
      "\(path) cannot be created: \(reason)."
    case .folderOpen(let path, let mode):
      "Other users can write to \(path) (mode \(String(mode, radix: 8))), and so replace its keys; "
        + "`chmod go-w '\(path)'` prevents that. Or use another folder (--state), such as '\(path)/pushpit'."
    case .folderForeign(let path, let owner, let user):
      "\(path) belongs to user \(owner), who can replace its keys; use a folder of your own (--state), or "
        + "`chown -R \(user) '\(path)'` makes this one yours."
    case .foreignLink(let file):
      "\(file) is a link that another user has made to a file that is not theirs; it is not read."
    case .notPEM(let file, let wanted):
      "\(file) has no PEM block; it must contain \(wanted)."
    case .otherPEM(let file, let found, let wanted):
      "\(file) has a PEM block \"\(found)\"; it must contain \(wanted)."
    case .damaged(let file, let wanted):
      "\(file) is truncated or damaged; it must contain \(wanted)."
    case .otherKey(let file, let found):
      "\(file) has a key of the type \(found); ES256 needs an elliptic curve key on P-256 (prime256v1)."
    case .unsoundKey(let file):
      "\(file) has an invalid P-256 key: its numbers do not match."
    case .notAnAuthority(let file):
      "\(file) is a certificate that cannot sign others; it must be the CA made by `pushpit certs`."
    case .unlimitedAuthority(let file):
      "\(file) is a CA without name constraints; it must be the CA made by `pushpit certs`."
    case .unusableAuthority(let reason, let folder):
      "\(reason) `pushpit certs --renew --state '\(folder)'` makes a new CA, which clients must be configured to trust."
    case .folderInUse(let folder, let reason):
      "A new certificate authority is needed, because \(reason); but a server is running on \(folder), and new clients "
        + "would no longer trust it. Nothing was changed: stop that server first, or use another folder (--state)."
    case .folderLocked(let folder):
      "Another program, such as `pushpit keys`, is changing \(folder) and has not finished; nothing was changed. Try "
        + "again."
    case .notProviderFile(let file):
      "\(file) is neither PEM nor PKCS#12 (.p12); a provider certificate must be in one of the two."
    case .wrongPassword(let file):
      "\(file) does not open with this password; set --password to the one with which it was exported."
    case .oldEncryption(let file):
      "\(file) uses an old encryption, as Keychain Access does, which OpenSSL 3 reads only with its legacy provider; "
        + "`openssl pkcs12 -legacy -nodes -in \(file) -out provider.pem` converts it to PEM."
    case .noCertificate(let file):
      "\(file) holds no certificate; it must contain one (\"CERTIFICATE\")."
    case .wrongChainOrder(let file, let first):
      "\(file) has its certificates in the wrong order: \(first) comes first; the provider's own must be first, "
        + "followed by those of authorities."
    case .otherKeyThanCertificate(let file):
      "\(file) holds a key that does not belong to its certificate; it must be the key of the certificate request."
    case .noAppleExtension(let file):
      "\(file) is not a push certificate: it has none of Apple's extensions (1.2.840.113635.100.6.3); it must be from "
        + "Apple's portal or from `pushpit certs provider`."
    case .noTopic(let file):
      "\(file) names no topic; Apple's certificates have one in extension 1.2.840.113635.100.6.3.6 or in the subject's "
        + "UID."
    case .otherCertificateKey(let file, let found):
      "\(file) has a key of the type \(found); a push certificate needs an RSA key of at least 2048 bits."
    case .badIdentifier(let what, let text):
      "\(text.debugDescription) is not a valid \(what); it must be letters A-Z, a-z and digits (Apple's have ten)."
    case .badName(let text):
      "\(text.debugDescription) is not valid; it must be a DNS name in ASCII or an IP address, "
        + "such as localhost, api.example.test or 127.0.0.1."
    case .wildcardTooWide(let text):
      "\(text) would cover domains of others; a wildcard must be below a domain of your own, such as *.example.com, "
        + "and that must not look like a public one, such as co.uk (up to three letters, and a country)."
    case .noNames:
      "A server certificate needs at least one DNS name or IP address."
    case .nameNotPermitted(let name, let permitted):
      "\(name) is not among the names to which this CA is limited (\(permitted.joined(separator: ", "))); "
        + "make a new CA that permits it."
    case .badDates(let notBefore, let notAfter):
      "A certificate cannot be valid from \(notBefore) to \(notAfter) (Unix seconds); "
        + "the end must be after the beginning, both between the years 1970 and 9999."
    case .library(let doing, let reason):
      "OpenSSL could not \(doing): \(reason)."
    }
  }
}
