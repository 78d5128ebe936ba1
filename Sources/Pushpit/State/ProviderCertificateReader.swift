import APNs
import Signing
import Synchronization
import Timeline
import Transport

/// Reads the certificates that clients present, and checks each against the list in the state folder.
///
/// The folder is read for each connection with a certificate, so changes by `pushpit certs` apply at once.
final class ProviderCertificateReader: Sendable {
  private struct Known: Sendable {
    /// Nil until the first certificate is made.
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
    // If the list cannot be read, because a user is editing it, the previous one applies.
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
  /// The values that the rules need.
  func provider(subject: String, isKnown: Bool, isRevoked: Bool) -> ProviderCertificate {
    let topics = allTopics
    let flaw: ProviderCertificate.Flaw? =
      if !isKnown {
        // A server that checks the authority does so before it reads anything else.
        .unknownAuthority
      } else if !hasAppleExtension {
        .noAppleExtension
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
      validity: begin...max(begin, Instant(seconds: certificate.notAfter)), flaw: flaw,
      fingerprint: fingerprint)
  }

  var allTopics: [String] { ProviderCertificate.topics(listed: topics, voip: voipTopics, uid: uid) }

  /// Assumed: a certificate that lists topics but has neither marker is for both.
  var environments: Set<Environment> {
    guard isForDevelopment || isForProduction else { return Set(Environment.allCases) }
    return Set((isForDevelopment ? [.sandbox] : []) + (isForProduction ? [.production] : []))
  }
}
