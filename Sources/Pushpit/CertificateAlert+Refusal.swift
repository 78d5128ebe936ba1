import APNs
import Synchronization
import Timeline
import Transport

extension Gateway {
  /// Judges a certificate by the machine's clock and a copy of what the scenario has revoked: without the world, which
  /// may be busy.
  package func alert(for certificate: ClientCertificate, on listener: Int) -> CertificateAlert? {
    guard rulebook.refusedCertificate == .alert, let read = readCertificate(certificate),
      let refusal = CertificateRefusal(
        suspended.withLock { $0 }.marked(read), in: Listeners.environment(listener), rulebook, at: SystemClock.now),
      let kind = CertificateAlert.Kind(refusal.alert)
    else { return nil }
    return CertificateAlert(kind, String(refusal.sentence.dropLast()))
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
