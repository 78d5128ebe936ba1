import APNs
import Signing
import Synchronization
import Timeline
import Transport

/// Reads the certificates that clients present, and says of each what the state folder knows of it.
///
/// The folder is looked at for each connection with a certificate, so what `pushpit certs` does counts at once.
final class ProviderCertificateReader: Sendable {
  private struct Known: Sendable {
    /// Nil before the first certificate was made.
    let authority: Certificate?
    let registered: Set<String>
    let revoked: Set<String>

    init(_ folder: StateFolder) throws(ProviderCertificateProblem) {
      authority = try ProviderCertificateRegistry.authority(of: folder)
      let entries = try ProviderCertificateRegistry(folder).entries
      registered = Set(entries.filter(\.isRegistered).map(\.fingerprint))
      revoked = Set(entries.filter(\.isRevoked).map(\.fingerprint))
    }
  }

  private let folder: StateFolder
  private let known: Mutex<Known>

  init(_ folder: StateFolder) throws(ProviderCertificateProblem) {
    self.folder = folder
    known = Mutex(try Known(folder))
  }

  func read(_ presented: ClientCertificate) -> ProviderCertificate {
    // A file that somebody is in the middle of mending leaves what was known before.
    let fresh = try? Known(folder)
    let known = known.withLock { known in
      if let fresh { known = fresh }
      return known
    }
    guard let read = try? PushCertificate(der: presented.der, from: "The client's certificate"),
      read.certificate.notBefore <= read.certificate.notAfter
    else {
      return ProviderCertificate(
        subject: presented.subject, topics: [], environments: [], validity: .distantPast ... .distantFuture,
        flaw: .unreadable)
    }
    return read.provider(
      subject: presented.subject, isKnown: Self.isKnown(read, known),
      isRevoked: known.revoked.contains(read.fingerprint))
  }

  private static func isKnown(_ certificate: PushCertificate, _ known: Known) -> Bool {
    known.registered.contains(certificate.fingerprint)
      || known.authority.map { certificate.certificate.isSigned(by: $0) } ?? false
  }
}

extension PushCertificate {
  /// What the rules need to know.
  func provider(subject: String, isKnown: Bool, isRevoked: Bool) -> ProviderCertificate {
    let topics = allTopics
    let flaw: ProviderCertificate.Flaw? =
      if !hasAppleExtension {
        .noAppleExtension
      } else if !isKnown {
        .unknownAuthority
      } else if let keyFlaw {
        .otherKey(keyFlaw)
      } else if topics.isEmpty {
        .noTopic
      } else {
        isRevoked ? .revoked : nil
      }
    let begin = Instant(seconds: certificate.notBefore)
    return ProviderCertificate(
      subject: subject, topics: topics, environments: environments,
      validity: begin...max(begin, Instant(seconds: certificate.notAfter)), flaw: flaw)
  }

  var allTopics: [String] { ProviderCertificate.topics(listed: topics, voip: voipTopics, uid: uid) }

  /// Assumed: one with neither mark, which only lists topics, is for both.
  var environments: Set<Environment> {
    guard isForDevelopment || isForProduction else { return Set(Environment.allCases) }
    return Set((isForDevelopment ? [.sandbox] : []) + (isForProduction ? [.production] : []))
  }
}
