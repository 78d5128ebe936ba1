/// What can be wrong with a server's certificate on purpose. Each is wrong in this one way only.
package enum CertificateFlaw: String, Hashable, Sendable, CaseIterable {
  /// It ended a day ago.
  case expired
  /// It is for a name nobody asks for, although one that the CA permits.
  case wrongName
  /// A CA that nobody trusts has signed it.
  case unknownAuthority

  /// Those that only the CA whom clients trust can make.
  package static let ofTheAuthority = [expired, wrongName]

  /// Below Apple's push domain, so that it is the name that is refused and not the CA's limits.
  package static let nameNobodyAsksFor = "wrong.push.apple.com"
}

extension CertificateAuthority {
  private static let day: Int64 = 86_400

  /// A server certificate with a flaw, for a sound one's key.
  ///
  /// - Parameters:
  ///   - names: those of the sound one.
  ///   - now: Unix seconds.
  ///   - notAfter: the end of what is not expired.
  package func issueLeaf(
    _ flaw: CertificateFlaw, names: [String], now: Int64, notAfter: Int64, key: SigningKey
  ) throws(SigningFailure) -> Identity {
    let day = Self.day
    switch flaw {
    case .expired: return try issueLeaf(names: names, notBefore: now - 2 * day, notAfter: now - day, key: key)
    case .wrongName:
      return try issueLeaf(
        names: [CertificateFlaw.nameNobodyAsksFor], notBefore: now - day, notAfter: notAfter, key: key)
    case .unknownAuthority: return try Self.issueStrangersLeaf(names: names, now: now)
    }
  }

  /// A certificate with these names from a CA made for it alone.
  package static func issueStrangersLeaf(names: [String], now: Int64) throws(SigningFailure) -> Identity {
    let stranger = try CertificateAuthority.make(
      names: names, notBefore: now - day, notAfter: now + day, commonName: "Pushpit unknown CA")
    return try stranger.issueLeaf(names: names, notBefore: now - day, notAfter: now + day)
  }
}
