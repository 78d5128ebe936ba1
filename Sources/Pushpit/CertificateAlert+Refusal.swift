import APNs
import Simulation
import Timeline
import Transport

extension Gateway {
  package func alert(for certificate: ClientCertificate, on listener: Int) -> CertificateAlert? {
    guard let read = readCertificate(certificate) else { return nil }
    let environment = Listeners.environment(listener)
    return work { simulator, wall in
      (simulator.world.alert(for: read, in: environment, at: simulator.now(wall: wall)), [])
    }.flatMap { refusal in
      CertificateAlert.Kind(refusal.alert).map { CertificateAlert($0, String(refusal.sentence.dropLast())) }
    }
  }
}

extension CertificateAlert.Kind {
  /// Nil for a certificate that is rejected only after the handshake.
  fileprivate init?(_ alert: CertificateRefusal.Alert?) {
    switch alert {
    case .revoked: self = .revoked
    case .expired: self = .expired
    case .unknownAuthority: self = .unknownAuthority
    case nil: return nil
    }
  }
}
