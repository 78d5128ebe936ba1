import Timeline
import WireFormats

/// The state of a connection whose provider authenticates by certificate. The certificate is checked once, when the
/// connection opens.
///
/// Observed: with a certificate, a provider token is ignored (Live-Activities-Demo-NBA-Score issue 1).
package final class CertifiedProvider: Sendable {
  package let certificate: ProviderCertificate
  /// Nil if the certificate is accepted.
  package let refusal: CertificateRefusal?
  private let topics: [(text: [UInt8], topic: Topic)]
  private let dropsLiveActivities: Bool

  package init(
    _ certificate: ProviderCertificate, in environment: Environment, _ rulebook: Rulebook, at wall: Instant
  ) {
    self.certificate = certificate
    refusal = CertificateRefusal(certificate, in: environment, rulebook, at: wall)
    topics = certificate.topics.compactMap { text in Topic(text).map { (Array(text.utf8), $0) } }
    dropsLiveActivities = rulebook.certificateLiveActivities == .drop
  }

  /// The topic of a request without `apns-topic`; nil if the request must have one.
  ///
  /// Documented: the certificate's topic, unless it has several ("Sending notification requests to APNs").
  var onlyTopic: Topic? { certificate.topics.count == 1 ? topics.first?.topic : nil }

  /// The topic of a push, which must be one of the certificate's.
  func permission(_ push: ParsedPush) -> TopicPermission {
    guard let range = push.topicRange, !range.isEmpty else {
      return TopicPermission(isPresent: onlyTopic != nil, topic: onlyTopic, isAllowed: true)
    }
    let storage = push.request.storage
    let bytes = storage.span
    if let known = topics.first(where: { bytes.holds(range, $0.text.span) }) {
      return TopicPermission(topic: known.topic, isAllowed: true)
    }
    guard let topic = Topic(bytes.text(range)) else { return TopicPermission() }
    let isDropped = drops(topic)
    return TopicPermission(topic: topic, isAllowed: isDropped, isDropped: isDropped)
  }

  /// True if the certificate is for the app.
  func isFor(bundleID: String) -> Bool { certificate.topics.contains(bundleID) }

  /// True if a push to a topic that the certificate does not have returns 200 and is then dropped.
  private func drops(_ topic: Topic) -> Bool {
    dropsLiveActivities && topic.suffix == .liveActivity && isFor(bundleID: topic.bundleID)
  }
}

/// The reason why a certificate is rejected.
package struct CertificateRefusal: Hashable, Sendable {
  package let rule: Rule
  /// A sentence for the developer of the provider: the flaw, and its correction.
  package let sentence: String
  /// The alert with which a server that judges certificates in the handshake ends it; nil if it does not.
  ///
  /// Observed: `certificate_expired` (pushy issues 609 and 1078), `unknown_ca` (reown's push server). Documented: TLS
  /// connections with a revoked certificate are refused; assumed: by `certificate_revoked`.
  package let alert: Alert?

  package enum Alert: Hashable, Sendable {
    case revoked
    case expired
    case unknownAuthority
  }

  /// - Returns: nil if the certificate is accepted.
  package init?(
    _ certificate: ProviderCertificate, in environment: Environment, _ rulebook: Rulebook, at wall: Instant
  ) {
    let found = Rule.allCases.lazy.compactMap { rule in
      Self.fault(of: certificate, by: rule, in: environment, at: wall).map { (rule: rule, why: $0) }
    }.first
    guard let found else { return nil }
    rule = found.rule
    let reason = found.rule.reason(rulebook).rawValue
    alert = found.rule == .certificateSound ? Self.alert(for: certificate, at: wall) : nil
    sentence = "The client's certificate (\(Shown.plain(certificate.subject))) is rejected with \(reason): \(found.why)"
  }

  private static func alert(for certificate: ProviderCertificate, at wall: Instant) -> Alert? {
    switch certificate.flaw {
    case .unknownAuthority: .unknownAuthority
    case .revoked, .suspended: .revoked
    case nil: wall > certificate.notAfter ? .expired : nil
    default: nil
    }
  }

  private static func fault(
    of certificate: ProviderCertificate, by rule: Rule, in environment: Environment, at wall: Instant
  ) -> String? {
    switch rule {
    case .certificateSound: flaw(of: certificate, at: wall)
    case .certificateOfThisEnvironment: place(of: certificate, in: environment)
    default: nil
    }
  }

  private static func flaw(of certificate: ProviderCertificate, at wall: Instant) -> String? {
    switch certificate.flaw {
    case .unreadable: return "it cannot be read; it must be an X.509 certificate in DER."
    case .noAppleExtension:
      return "it has none of Apple's push extensions (1.2.840.113635.100.6.3); `pushpit certs provider` makes one with"
        + " them."
    case .noTopic:
      return
        "it names no topic; Apple's certificates have one in extension 1.2.840.113635.100.6.3.6 or in the subject's"
        + " UID."
    case .otherKey(let kind): return "its key is \(kind); it must be RSA of at least 2048 bits."
    case .unknownAuthority:
      return "neither `pushpit certs provider` made it nor was it registered with `pushpit certs add`."
    case .revoked: return "it was revoked with `pushpit certs revoke`; make a new one."
    case .suspended: return "a step of the scenario has revoked it."
    case nil: break
    }
    if wall > certificate.notAfter {
      return "it expired on \(certificate.notAfter.rfc3339); make a new one."
    }
    if wall < certificate.notBefore { return "it is not valid before \(certificate.notBefore.rfc3339)." }
    return nil
  }

  private static func place(of certificate: ProviderCertificate, in environment: Environment) -> String? {
    guard !certificate.environments.contains(environment) else { return nil }
    let others = Environment.allCases.filter(certificate.environments.contains).map(\.rawValue)
    return "it is for \(others.joined(separator: " and ")), and this is \(environment.rawValue)."
  }
}
