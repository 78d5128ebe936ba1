import Signing
import Timeline

/// The authority that clients trust, and what the server shows them.
struct Certificates {
  let authority: CertificateAuthority
  let identity: Identity
  /// Why a new authority took the place of an old one, so that clients must be given it again; nil when none did.
  let replacement: String?
}

extension StateFolder {
  /// Assumed: ten years is longer than a test rig lives.
  private static let authorityLife: Int64 = 3650 * 86400
  /// Documented: Apple's platforms refuse server certificates good for more than 398 days.
  private static let certificateLife: Int64 = 397 * 86400
  /// A certificate is renewed when less than this is left of it.
  private static let renewal: Int64 = 30 * 86400
  /// Certificates begin a little early, for clients whose clock is behind.
  private static let early: Int64 = 3600

  /// What is there, or made where it is missing, worn or short of a name.
  ///
  /// - Parameters:
  ///   - renewed: makes all of it anew.
  ///   - keepsNames: whether the names of the present certificate are wanted, too.
  func certificates(
    names: [String], renewed: Bool = false, keepsNames: Bool = false
  ) throws(SigningFailure) -> Certificates {
    try prepare()
    return try FolderLock(path).hold { () throws(SigningFailure) in
      let kept = keepsNames ? extraNames() : []
      let names = kept + names.filter { !kept.contains($0) }
      let (authority, replacement) = try authority(permitting: names, renewed: renewed)
      let identity = try identity(names: Identity.defaultNames + names, of: authority)
      return Certificates(authority: authority, identity: identity, replacement: replacement)
    }
  }

  private func authority(
    permitting names: [String], renewed: Bool
  ) throws(SigningFailure) -> (CertificateAuthority, replacement: String?) {
    let now = SystemClock.now.seconds
    var replacement: String?
    if exists(authorityPath) {
      replacement = "it was asked for"
      if !renewed {
        let authority = try storedAuthority()
        if authority.notAfter <= now + Self.renewal {
          replacement = "the old one was about to expire"
        } else if permits(names, authority) {
          return (authority, nil)
        } else {
          replacement = "the old one did not permit all of \(names.joined(separator: ", "))"
        }
      }
    }
    let wanted = names.map { $0.hasPrefix("*.") ? String($0.dropFirst(2)) : $0 }
    let authority = try CertificateAuthority.make(
      permittedNames: wanted + permittedBefore(), notBefore: now - Self.early, notAfter: now + Self.authorityLife)
    try KeyFile.write(authority.privateKeyPEM, to: authorityKeyPath)
    try KeyFile.write(authority.certificatePEM, to: authorityPath, mode: 0o644)
    return (authority, replacement)
  }

  private func storedAuthority() throws(SigningFailure) -> CertificateAuthority {
    do {
      return try CertificateAuthority(
        certificatePEM: try KeyFile.read(authorityPath), from: authorityPath,
        privateKeyPEM: try KeyFile.read(authorityKeyPath), from: authorityKeyPath)
    } catch {
      throw .unusableAuthority(reason: error.description, folder: path)
    }
  }

  /// Names that an authority about to be replaced permits: its clients are not to lose any.
  private func permittedBefore() -> [String] {
    guard let pem = try? KeyFile.read(authorityPath),
      let certificate = try? Certificate(pem: pem, from: authorityPath)
    else { return [] }
    return certificate.permittedNames
  }

  private func permits(_ names: [String], _ authority: CertificateAuthority) -> Bool {
    let now = SystemClock.now.seconds
    // The authority judges its names itself: a certificate it would not sign is one it does not permit.
    return (try? authority.issueLeaf(names: Identity.defaultNames + names, notBefore: now, notAfter: now + 60)) != nil
  }

  private func identity(names: [String], of authority: CertificateAuthority) throws(SigningFailure) -> Identity {
    if let present = presentIdentity(names: names, of: authority) { return present }
    let now = SystemClock.now.seconds
    let identity = try authority.issueLeaf(
      names: names, notBefore: now - Self.early, notAfter: now + Self.certificateLife)
    try KeyFile.write(identity.privateKeyPEM, to: certificateKeyPath)
    try KeyFile.write(identity.certificatePEM, to: certificatePath, mode: 0o644)
    return identity
  }

  /// Nil when it is missing, unreadable, worn, of another authority or short of a name: then another is as good.
  private func presentIdentity(names: [String], of authority: CertificateAuthority) -> Identity? {
    let now = SystemClock.now.seconds
    guard let certificate = storedCertificate(), certificate.isSigned(by: authority), certificate.isValid(at: now),
      certificate.notAfter > now + Self.renewal, names.allSatisfy(certificate.names.contains),
      let text = try? KeyFile.read(certificateKeyPath),
      let key = try? SigningKey(p8: text, from: certificateKeyPath), certificate.belongs(to: key)
    else { return nil }
    return Identity(certificatePEM: certificate.pem, privateKeyPEM: text)
  }

  private func storedCertificate() -> Certificate? {
    guard let pem = try? KeyFile.read(certificatePath) else { return nil }
    return try? Certificate(pem: pem, from: certificatePath)
  }

  /// Names the present certificate has beyond the standard ones.
  private func extraNames() -> [String] {
    storedCertificate()?.names.filter { !Identity.defaultNames.contains($0) } ?? []
  }
}
