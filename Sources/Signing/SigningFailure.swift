/// Why a key, a certificate or a file of secrets cannot be used: one sentence that names the file and what is valid.
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

  case badIdentifier(what: String, text: String)
  case badName(text: String)
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
    case .unwritable(let file, let reason):
      "\(file) cannot be written: \(reason)."
    case .unremovable(let file, let reason):
      "\(file) cannot be removed (\(reason)); it holds a secret that is no longer needed. Remove it."
    case .folderNotMade(let path, let reason):
      "\(path) cannot be created: \(reason)."
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
      "\(reason) `pushpit certs --renew --state '\(folder)'` makes a new CA, which clients must be told to trust."
    case .folderInUse(let folder, let reason):
      "A new certificate authority is needed, because \(reason); but a server is running on \(folder), and new clients "
        + "would no longer trust it. Nothing was changed: stop that server first, or use another folder (--state)."
    case .badIdentifier(let what, let text):
      "\(text.debugDescription) is not a valid \(what); it must be letters A-Z, a-z and digits (Apple's have ten)."
    case .badName(let text):
      "\(text.debugDescription) is not valid; it must be a DNS name in ASCII or an IP address, "
        + "such as localhost, api.example.test or 127.0.0.1."
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
