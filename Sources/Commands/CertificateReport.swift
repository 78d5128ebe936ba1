import APNs
import Pushpit
import Signing
import Timeline

/// What `pushpit certs` tells, after seeing to it that there is something to tell.
package struct CertificateReport: Sendable {
  package let text: String
  package let authorityPath: String

  /// Makes what is missing; adding a name makes the authority anew.
  package init(_ folder: StateFolder, adding names: [String], renew: Bool) throws {
    let (text, path) = try StartFailure.wrapping { () throws(SigningFailure) in
      let made = try folder.certificates(names: names, renewed: renew)
      let authority = made.authority
      let leaf = try Certificate(pem: made.identity.certificatePEM, from: "the certificate")
      let days = { (seconds: Int64) in (seconds - SystemClock.now.seconds) / 86400 }
      let text = """
        authority   \(folder.authorityPath) (good for \(days(authority.notAfter)) more days; its key was not kept)
          permits   \(authority.permittedNames.joined(separator: ", ")) and names below them; any IP address
        certificate for \(leaf.names.joined(separator: ", "))
                    good for \(days(leaf.notAfter)) more days
        """
      let news = made.replacement.map { "\nA new authority was made, because \($0): clients must be given it again." }
      return (text + (news ?? ""), folder.authorityPath)
    }
    self.text = text
    authorityPath = path
  }
}
