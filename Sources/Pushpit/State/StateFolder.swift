import Signing
import Timeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The folder where a Pushpit keeps its certificate authority, its certificate and its provider keys between runs.
public struct StateFolder: Sendable {
  public let path: String

  /// - Parameter path: nil for `$XDG_STATE_HOME/pushpit`, or `~/.local/state/pushpit`.
  public init(_ path: String?) {
    self.path = path.map(Self.absolute) ?? Self.standard
  }

  private static var standard: String {
    if let state = variable("XDG_STATE_HOME") { return absolute(state) + "/pushpit" }
    return (variable("HOME") ?? ".") + "/.local/state/pushpit"
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A path that still leads there from another working directory, as whoever reads it may have.
  static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    if path.hasPrefix("~/"), let home = variable("HOME") { return home + path.dropFirst() }
    guard let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  public var authorityPath: String { path + "/ca.pem" }
  private var authorityKeyPath: String { path + "/ca-key.pem" }
  private var certificatePath: String { path + "/tls.pem" }
  private var certificateKeyPath: String { path + "/tls-key.pem" }
  var keyListPath: String { path + "/keys.json" }

  func exists(_ file: String) -> Bool { access(file, F_OK) == 0 }

  func prepare() throws(SigningFailure) { try KeyFile.makeDirectory(path) }

  // MARK: - Certificates

  /// Assumed: ten years is longer than a test rig lives.
  private static let authorityLife: Int64 = 3650 * 86400
  /// Documented: Apple's platforms refuse server certificates good for more than 398 days.
  private static let certificateLife: Int64 = 397 * 86400
  /// A certificate is renewed when less than this is left of it.
  private static let renewal: Int64 = 30 * 86400
  /// Certificates begin a little early, for clients whose clock is behind.
  private static let early: Int64 = 3600

  /// The certificate authority; made when there is none, or when it does not permit a name that is wanted.
  func authority(permitting names: [String], renewed: Bool = false) throws(SigningFailure) -> CertificateAuthority {
    try prepare()
    let now = SystemClock.now.seconds
    if !renewed, exists(authorityPath) {
      let authority = try CertificateAuthority(
        certificatePEM: try KeyFile.read(authorityPath), from: authorityPath,
        privateKeyPEM: try KeyFile.read(authorityKeyPath), from: authorityKeyPath)
      if authority.notAfter > now + Self.renewal, permits(names, authority) { return authority }
    }
    let authority = try CertificateAuthority.make(
      permittedNames: names, notBefore: now - Self.early, notAfter: now + Self.authorityLife)
    try KeyFile.write(authority.privateKeyPEM, to: authorityKeyPath)
    try KeyFile.write(authority.certificatePEM, to: authorityPath, mode: 0o644)
    return authority
  }

  /// The server's certificate and key, issued anew when they are missing, worn, of another authority or short of a
  /// name.
  func identity(names: [String], renewed: Bool = false) throws(SigningFailure) -> Identity {
    let authority = try authority(permitting: names, renewed: renewed)
    let now = SystemClock.now.seconds
    let wanted = Identity.defaultNames + names
    if !renewed, exists(certificatePath), exists(certificateKeyPath) {
      let pem = try KeyFile.read(certificatePath)
      let certificate = try Certificate(pem: pem, from: certificatePath)
      if certificate.isSigned(by: authority), certificate.isValid(at: now),
        certificate.notAfter > now + Self.renewal, wanted.allSatisfy(certificate.names.contains)
      {
        return Identity(certificatePEM: pem, privateKeyPEM: try KeyFile.read(certificateKeyPath))
      }
    }
    let identity = try authority.issueLeaf(
      names: wanted, notBefore: now - Self.early, notAfter: now + Self.certificateLife)
    try KeyFile.write(identity.privateKeyPEM, to: certificateKeyPath)
    try KeyFile.write(identity.certificatePEM, to: certificatePath, mode: 0o644)
    return identity
  }

  private func permits(_ names: [String], _ authority: CertificateAuthority) -> Bool {
    let now = SystemClock.now.seconds
    // The authority judges its names itself: a certificate it would not sign is one it does not permit.
    return (try? authority.issueLeaf(names: Identity.defaultNames + names, notBefore: now, notAfter: now + 60)) != nil
  }
}

extension StateFolder {
  /// The folder that settings name.
  public static func of(_ settings: Settings) -> StateFolder { StateFolder(settings.state) }

  /// Names the present certificate has beyond the standard ones.
  func extraNames() throws(SigningFailure) -> [String] {
    guard exists(path + "/tls.pem") else { return [] }
    let file = path + "/tls.pem"
    let certificate = try Certificate(pem: try KeyFile.read(file), from: file)
    return certificate.names.filter { !Identity.defaultNames.contains($0) }
  }
}
