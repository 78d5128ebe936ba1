import Signing
import Timeline

/// The authority that clients trust, and the server's certificates.
package struct Certificates {
  /// The authority's certificate. Its key existed only while the others were signed.
  package let authority: Certificate
  package let identity: Identity
  /// Certificates that faults use instead of `identity`.
  let flawed: [CertificateFlaw: Identity]
  /// A valid certificate for the key of `identity`, signed by the second CA; or the reason why it could not be made.
  var secondRoot: Result<Identity, SigningFailure>?
  /// Names of `identity`, the standard ones first.
  let names: [String]
  /// The reason why a new authority replaced an old one, so that clients must be configured to trust it; nil if none
  /// did.
  package var replacement: String?
}

/// The reason why the existing certificates cannot be used.
private enum CertificateProblem {
  case renewalAsked
  /// Made by an earlier Pushpit.
  case outdated
  case expiring
  case lacks([String])
  case tooWide([String])
  case incomplete

  var reason: String {
    switch self {
    case .renewalAsked: "it was requested"
    case .outdated:
      "the old one limited IP addresses, which clients on BoringSSL (APNSwift, gRPC, netty-tcnative) reject, and its "
        + "key was on the disk"
    case .expiring: "the old one is about to expire"
    case .lacks(let names): "the certificate does not have the name \(names.joined(separator: ", "))"
    case .tooWide(let names):
      "the certificate has the name \(names.joined(separator: ", ")), which covers domains of others"
    case .incomplete: "files of the old one are missing or damaged"
    }
  }
}

extension StateFolder {
  /// Documented: Apple's platforms reject server certificates valid for more than 825 days, including those of
  /// authorities that a user has added (support.apple.com/en-us/103769). The authority expires together with its only
  /// certificates.
  static let life: Int64 = 824 * 86400
  /// Certificates are renewed when less than this time is left.
  static let renewal: Int64 = 30 * 86400
  /// They are valid a little earlier, for clients whose clock is behind.
  static let early: Int64 = 3600

  /// The existing certificates, or new ones if they are missing, expiring, or without a requested name. Names are only
  /// added.
  ///
  /// Nothing can be signed later, so every change needs a new authority. While a server uses the folder, a change is
  /// rejected unless the certificates can still be used.
  ///
  /// - Parameter renewed: makes everything new.
  package func certificates(names: [String], renewed: Bool = false) throws(SigningFailure) -> Certificates {
    try prepare()
    return try FolderLock(path).hold { () throws(SigningFailure) in
      withSecondRoot(try settle(names, renewed: renewed))
    }
  }

  /// The existing or new certificates for a server, which prevents others from replacing them while it holds `use`.
  func certificatesInUse(names: [String]) throws(SigningFailure) -> (Certificates, use: FolderUse?) {
    try prepare()
    return try FolderLock(path).hold { () throws(SigningFailure) in
      removeDrafts()
      return (withSecondRoot(try settle(names, renewed: false)), use: try FolderUse.begin(path))
    }
  }

  private func settle(_ names: [String], renewed: Bool) throws(SigningFailure) -> Certificates {
    for name in names { _ = try HostName(name) }
    guard exists(authorityPath) else { return try make(names, replacing: nil) }
    if renewed { return try replace(nil, for: .renewalAsked, names) }
    let authority = try storedAuthority()
    let present = present(of: authority)
    if let shortcoming = shortcoming(of: present, authority, names) {
      return try replace(present, for: shortcoming, names)
    }
    if let present { return present }
    return try replace(nil, for: .incomplete, names)
  }

  /// - Parameter present: certificates that a running server can continue to use while they are valid.
  private func replace(
    _ present: Certificates?, for shortcoming: CertificateProblem, _ names: [String]
  ) throws(SigningFailure) -> Certificates {
    guard try FolderUse.isInUse(path) else { return try make(names + permittedNames(), replacing: shortcoming) }
    if case .expiring = shortcoming, let present, present.authority.isValid(at: SystemClock.now.seconds) {
      return present
    }
    throw .folderInUse(folder: path, reason: shortcoming.reason)
  }

  private func shortcoming(of present: Certificates?, _ authority: Certificate, _ names: [String])
    -> CertificateProblem?
  {
    if authority.standing == .outdated || exists(authorityKeyPath) { return .outdated }
    guard let present else { return .incomplete }
    if authority.notAfter <= SystemClock.now.seconds + Self.renewal { return .expiring }
    let wide = present.names.filter { !Self.isValid($0) }
    if !wide.isEmpty { return .tooWide(wide) }
    let missing = names.filter { !present.names.contains(Self.spelled($0)) }
    return missing.isEmpty ? nil : .lacks(missing)
  }

  /// True if certificates may have the name; earlier versions allowed wildcards for all domains.
  private static func isValid(_ name: String) -> Bool { (try? HostName(name)) != nil }

  /// A name, spelled as in certificates.
  private static func spelled(_ name: String) -> String { (try? HostName(name).description) ?? name }

  /// Writes the authority last, so that whoever sees the new one also finds its certificates.
  private func make(_ names: [String], replacing shortcoming: CertificateProblem?) throws(SigningFailure)
    -> Certificates
  {
    let now = SystemClock.now.seconds
    let (begin, end) = (now - Self.early, now + Self.life)
    var all = Identity.defaultNames
    for name in extraNames() + names where !all.contains(Self.spelled(name)) { all.append(Self.spelled(name)) }
    let authority = try CertificateAuthority.make(names: all, notBefore: begin, notAfter: end)
    let key = try SigningKey.generate()
    let identity = try authority.issueLeaf(names: all, notBefore: begin, notAfter: end, key: key)
    var flawed: [CertificateFlaw: Identity] = [:]
    for flaw in CertificateFlaw.ofTheAuthority {
      flawed[flaw] = try authority.issueLeaf(flaw, names: all, now: now, notAfter: end, key: key)
    }
    try KeyFile.remove(authorityKeyPath)
    try KeyFile.write(identity.privateKeyPEM, to: certificateKeyPath)
    for flaw in CertificateFlaw.ofTheAuthority {
      if let identity = flawed[flaw] { try KeyFile.write(identity.certificatePEM, to: path(of: flaw), mode: 0o644) }
    }
    try KeyFile.write(identity.certificatePEM, to: certificatePath, mode: 0o644)
    try KeyFile.write(authority.certificatePEM, to: authorityPath, mode: 0o644)
    return Certificates(
      authority: authority.certificate, identity: identity, flawed: flawed, names: all,
      replacement: shortcoming?.reason)
  }

  private func storedAuthority() throws(SigningFailure) -> Certificate {
    do throws(SigningFailure) {
      let authority = try Certificate(pem: try KeyFile.read(authorityPath), from: authorityPath)
      switch authority.standing {
      case .noAuthority: throw SigningFailure.notAnAuthority(file: authorityPath)
      case .unlimited: throw SigningFailure.unlimitedAuthority(file: authorityPath)
      case .outdated, .current: return authority
      }
    } catch {
      throw .unusableAuthority(reason: error.description, folder: path)
    }
  }

  /// The certificates signed by this authority; nil if any is missing, unreadable or from another authority.
  private func present(of authority: Certificate) -> Certificates? {
    guard let text = try? KeyFile.read(certificateKeyPath),
      let key = try? SigningKey(p8: text, from: certificateKeyPath),
      let certificate = signed(certificatePath, by: authority, for: key)
    else { return nil }
    var flawed: [CertificateFlaw: Identity] = [:]
    for flaw in CertificateFlaw.ofTheAuthority {
      guard let other = signed(path(of: flaw), by: authority, for: key) else { return nil }
      flawed[flaw] = Identity(certificatePEM: other.pem, privateKeyPEM: text)
    }
    return Certificates(
      authority: authority, identity: Identity(certificatePEM: certificate.pem, privateKeyPEM: text), flawed: flawed,
      names: certificate.names)
  }

  func signed(_ file: String, by authority: Certificate, for key: SigningKey) -> Certificate? {
    guard let certificate = stored(file), certificate.isSigned(by: authority), certificate.belongs(to: key) else {
      return nil
    }
    return certificate
  }

  func stored(_ file: String) -> Certificate? {
    guard let pem = try? KeyFile.read(file) else { return nil }
    return try? Certificate(pem: pem, from: file)
  }

  /// Names of the current certificate besides the standard ones.
  private func extraNames() -> [String] {
    stored(certificatePath)?.names.filter { !Identity.defaultNames.contains($0) && Self.isValid($0) } ?? []
  }

  /// Names that an authority about to be replaced permits besides the standard ones, so that its clients lose none.
  private func permittedNames() -> [String] {
    let present = stored(certificatePath)?.names ?? []
    return (stored(authorityPath)?.permittedNames ?? []).filter { name in
      !CertificateAuthority.alwaysPermitted.contains(name)
        && (Self.isValid("*." + name) || !present.contains("*." + name))
    }
  }

  private func path(of flaw: CertificateFlaw) -> String { "\(path)/tls-\(flaw.rawValue).pem" }
}
