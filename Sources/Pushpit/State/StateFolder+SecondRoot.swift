import Signing
import Timeline

extension StateFolder {
  /// Adds the certificate that the second CA signed, so that a change of the root can be rehearsed.
  ///
  /// The second CA and its certificate are made if one is missing, damaged, about to expire, or lacks a name or the key
  /// of the server's certificate. The key of the second CA is not kept either.
  /// If the folder cannot be written and has no second CA yet, the server starts anyway; only a request for this
  /// certificate fails.
  func withSecondRoot(_ certificates: Certificates) -> Certificates {
    var complete = certificates
    do throws(SigningFailure) {
      let stored = try storedSecondRoot(certificates)
      let identity = if let stored { stored } else { try makeSecondRoot(certificates) }
      complete.secondRoot = .success(identity)
    } catch {
      complete.secondRoot = .failure(error)
    }
    return complete
  }

  private func storedSecondRoot(_ certificates: Certificates) throws(SigningFailure) -> Identity? {
    let key = certificates.identity.privateKeyPEM
    guard let authority = stored(secondAuthorityPath), case .current = authority.standing,
      let leaf = signed(secondCertificatePath, by: authority, for: try SigningKey(p8: key, from: certificateKeyPath)),
      Set(leaf.names).isSuperset(of: certificates.names)
    else { return nil }
    // A running server presents this certificate, so its clients trust this CA until it expires.
    let latest = SystemClock.now.seconds + (try FolderUse.isInUse(path) ? 0 : Self.renewal)
    return leaf.notAfter > latest ? Identity(certificatePEM: leaf.pem, privateKeyPEM: key) : nil
  }

  private func makeSecondRoot(_ certificates: Certificates) throws(SigningFailure) -> Identity {
    let now = SystemClock.now.seconds
    let (begin, end) = (now - Self.early, now + Self.life)
    let (names, key) = (certificates.names, certificates.identity.privateKeyPEM)
    let authority = try CertificateAuthority.make(
      names: names, notBefore: begin, notAfter: end, commonName: "Pushpit second local CA")
    let leaf = try authority.issueLeaf(
      names: names, notBefore: begin, notAfter: end, key: try SigningKey(p8: key, from: certificateKeyPath))
    try KeyFile.write(leaf.certificatePEM, to: secondCertificatePath, mode: 0o644)
    try KeyFile.write(authority.certificatePEM, to: secondAuthorityPath, mode: 0o644)
    return leaf
  }

  private var secondCertificatePath: String { path + "/tls-secondRoot.pem" }
}
