import APNs
import Pushpit
import Signing
import Timeline

/// The output of `pushpit certs`, after making the certificates if necessary.
package struct CertificateReport: Sendable {
  package let text: String
  package let authorityPath: String

  /// Makes what is missing; a new name makes a new authority.
  package init(_ folder: StateFolder, adding names: [String], renew: Bool) throws {
    let (text, path) = try StartFailure.wrapping { () throws(SigningFailure) in
      let made = try folder.certificates(names: names, renewed: renew)
      let authority = made.authority
      let leaf = try Certificate(pem: made.identity.certificatePEM, from: "the certificate")
      let days = { (seconds: Int64) in (seconds - SystemClock.now.seconds) / 86400 }
      let text = """
        authority   \(folder.authorityPath) (valid for \(days(authority.notAfter)) more days; its key was not kept)
          permits   \(authority.permittedNames.joined(separator: ", ")) and names below them; any IP address
        certificate for \(leaf.names.joined(separator: ", "))
                    valid for \(days(leaf.notAfter)) more days
        """
      let news = made.replacement.map {
        "\nA new authority was made, because \($0): clients must be configured to trust it."
      }
      return (text + (news ?? ""), folder.authorityPath)
    }
    self.text = text
    authorityPath = path
  }
}
