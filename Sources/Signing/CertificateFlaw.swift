/// What can be wrong with a server's certificate on purpose. Each is wrong in this one way only.
package enum CertificateFlaw: String, Hashable, Sendable, CaseIterable {
  /// It ended a day ago.
  case expired
  /// It is for a name nobody asks for, although one that the CA permits.
  case wrongName
  /// A CA that nobody trusts has signed it.
  case unknownAuthority

  /// Below Apple's push domain, so that it is the name that is refused and not the CA's limits.
  package static let nameNobodyAsksFor = "wrong.push.apple.com"
}

extension CertificateAuthority {
  /// A server certificate with a flaw, and its key. `names` are those of a sound one; `now` is in Unix seconds.
  package func issueLeaf(
    _ flaw: CertificateFlaw, names: [String], now: Int64
  ) throws(SigningFailure) -> Identity {
    let day: Int64 = 86_400
    switch flaw {
    case .expired: return try issueLeaf(names: names, notBefore: now - 2 * day, notAfter: now - day)
    case .wrongName:
      return try issueLeaf(names: [CertificateFlaw.nameNobodyAsksFor], notBefore: now - day, notAfter: now + day)
    case .unknownAuthority:
      let stranger = try CertificateAuthority.make(
        permittedNames: permittedNames, notBefore: now - day, notAfter: now + day, commonName: "Pushpit unknown CA")
      return try stranger.issueLeaf(names: names, notBefore: now - day, notAfter: now + day)
    }
  }
}
