import Signing
import Timeline

/// What `pushpit certs` tells, after seeing to it that there is something to tell.
public struct CertificateReport: Sendable {
  public let text: String
  public let authorityPath: String

  /// Makes what is missing; adding a name makes the authority anew where it does not permit it yet.
  public init(_ folder: StateFolder, adding names: [String], renew: Bool) throws {
    let (text, path) = try StartFailure.wrapping { () throws(SigningFailure) in
      let kept = names.isEmpty && !renew ? [] : try folder.extraNames()
      let all = kept + names.filter { !kept.contains($0) }
      let identity = try folder.identity(names: all, renewed: renew)
      let authority = try folder.authority(permitting: all)
      let leaf = try Certificate(pem: identity.certificatePEM, from: "the certificate")
      let days = { (seconds: Int64) in (seconds - SystemClock.now.seconds) / 86400 }
      let text = """
        authority   \(folder.authorityPath) (good for \(days(authority.notAfter)) more days)
          permits   \(authority.permittedNames.joined(separator: ", "))
        certificate for \(leaf.names.joined(separator: ", "))
                    good for \(days(leaf.notAfter)) more days, renewed by itself
        """
      return (text, folder.authorityPath)
    }
    self.text = text
    authorityPath = path
  }
}
