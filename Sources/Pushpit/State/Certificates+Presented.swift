import Signing
import Simulation
import Timeline

extension Certificates {
  /// The certificate that a listener presents, with its key.
  ///
  /// - Parameter fault: nil for the valid certificate that `ca.pem` signed.
  func presented(_ fault: ListenerFault.CertificateFault?) throws(SigningFailure) -> Identity {
    let stored: Identity? =
      switch fault {
      case nil: identity
      case .secondRoot: try secondRoot?.get()
      case .expired: flawed[.expired]
      case .wrongName: flawed[.wrongName]
      case .untrusted: nil
      }
    if let stored { return stored }
    return try CertificateAuthority.issueStrangersLeaf(names: names, now: SystemClock.now.seconds)
  }
}
