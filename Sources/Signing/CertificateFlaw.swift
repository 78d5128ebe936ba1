/// The flaw for which clients reject a server's certificate. Each certificate has exactly one flaw.
package enum CertificateFlaw: String, Hashable, Sendable, CaseIterable {
  /// Expired a day ago.
  case expired
  /// Made for another name, which the CA permits.
  case wrongName
  /// Signed by a CA that nobody can trust, because it is made for this certificate only.
  case untrusted

  /// Flaws of certificates that only the trusted CA can issue.
  package static let ofTheAuthority = [expired, wrongName]

  /// Below Apple's push domain, so that clients reject the name and not the CA's constraints.
  package static let nameNobodyAsksFor = "wrong.push.apple.com"
}

extension CertificateAuthority {
  private static let day: Int64 = 86_400

  /// A server certificate with a flaw, for the key of a valid one.
  ///
  /// - Parameters:
  ///   - names: the names of the valid one.
  ///   - now: Unix seconds.
  ///   - notAfter: the end of validity unless it is expired.
  package func issueLeaf(
    _ flaw: CertificateFlaw, names: [String], now: Int64, notAfter: Int64, key: SigningKey
  ) throws(SigningFailure) -> Identity {
    let day = Self.day
    switch flaw {
    case .expired: return try issueLeaf(names: names, notBefore: now - 2 * day, notAfter: now - day, key: key)
    case .wrongName:
      return try issueLeaf(
        names: [CertificateFlaw.nameNobodyAsksFor], notBefore: now - day, notAfter: notAfter, key: key)
    case .untrusted: return try Self.issueStrangersLeaf(names: names, now: now)
    }
  }

  /// A certificate with these names from a CA that is made only for it.
  package static func issueStrangersLeaf(names: [String], now: Int64) throws(SigningFailure) -> Identity {
    let stranger = try CertificateAuthority.make(
      names: names, notBefore: now - day, notAfter: now + day, commonName: "Pushpit unknown CA")
    return try stranger.issueLeaf(names: names, notBefore: now - day, notAfter: now + day)
  }
}
