import Timeline

/// The contents of the certificate that a provider has presented in the TLS handshake.
///
/// The caller reads the certificate; the rules do not depend on X.509.
package struct ProviderCertificate: Hashable, Sendable {
  /// The reason why a certificate is rejected with `BadCertificate` at any time.
  package enum Flaw: Hashable, Sendable {
    /// Not a readable X.509 certificate.
    case unreadable
    case noAppleExtension
    /// Neither an extension nor the subject's UID contains a topic.
    case noTopic
    /// A key that is not RSA with at least 2,048 bits; the value describes its type.
    case otherKey(String)
    case unknownAuthority
    case revoked
    /// Revoked by a scenario, for its own run.
    case suspended
  }

  /// Human-readable, in the format of RFC 2253.
  package let subject: String
  /// The allowed values of `apns-topic`, in the order of the certificate.
  package let topics: [String]
  package let environments: Set<Environment>
  /// Both inclusive.
  package let notBefore: Instant
  package let notAfter: Instant
  package private(set) var flaw: Flaw?
  /// SHA-256 over the certificate, in hex; empty if it is not known.
  package let fingerprint: String

  package init(
    subject: String, topics: [String], environments: Set<Environment>, validity: ClosedRange<Instant>, flaw: Flaw?,
    fingerprint: String = ""
  ) {
    self.fingerprint = fingerprint
    self.subject = subject
    self.topics = topics
    self.environments = environments
    notBefore = validity.lowerBound
    notAfter = validity.upperBound
    self.flaw = flaw
  }

  /// A copy of this certificate with a flaw, unless it has one already.
  func marked(_ flaw: Flaw) -> ProviderCertificate {
    var marked = self
    marked.flaw = self.flaw ?? flaw
    return marked
  }

  /// The topics of a certificate.
  ///
  /// Documented: the extensions list all topics; without them, the subject is the topic ("Sending notification
  /// requests to APNs"). Observed: the topic is the subject's UID.
  package static func topics(listed: [String], voip: [String], uid: String?) -> [String] {
    var topics: [String] = []
    for topic in listed + voip where !topics.contains(topic) { topics.append(topic) }
    return topics.isEmpty ? uid.map { [$0] } ?? [] : topics
  }
}

extension ProviderCertificate {
  /// The kinds that Apple's developer portal issues, and the kind that its portal for device management issues.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case universal
    case development
    case production
    case voip
    case mdm

    /// Observed: the portal says "Sandbox & Production" of the universal one. Assumed: VoIP is for both, and device
    /// management for production only.
    package var environments: Set<Environment> {
      switch self {
      case .universal, .voip: [.sandbox, .production]
      case .development: [.sandbox]
      case .production, .mdm: [.production]
      }
    }

    /// The text before the app in the subject's common name. Observed: in certificates of Apple's portal.
    package var commonNamePrefix: String {
      switch self {
      case .universal: "Apple Push Services: "
      case .development: "Apple Development IOS Push Services: "
      case .production: "Apple Production IOS Push Services: "
      case .voip: "VoIP Services: "
      case .mdm: "APSP:"
      }
    }

    /// The subject's UID.
    package func uid(of app: String) -> String { self == .voip ? app + TopicSuffix.voip.text : app }

    /// The topics in its extension, each with the word for its service; empty if the UID is the only topic.
    ///
    /// Documented: a universal certificate is for the app, its complications and its calls.
    package func listedTopics(of app: String) -> [(topic: String, service: String)] {
      switch self {
      case .universal:
        [
          (app, "app"), (app + TopicSuffix.voip.text, "voip"),
          (app + TopicSuffix.complication.text, "complication"),
        ]
      case .development, .production, .voip, .mdm: []
      }
    }
  }

  /// The prefix of topics of device management; a UUID follows. Observed: in MDM push certificates.
  package static let managementPrefix = "com.apple.mgmt."
}
