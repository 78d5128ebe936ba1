import APNs
import Timeline

/// A certificate on a tape: its contents, and whether the recording server knew it.
extension TapeValueWriter {
  mutating func put(_ certificate: ProviderCertificate) {
    put(certificate.subject)
    put(certificate.topics.count)
    for topic in certificate.topics { put(topic) }
    for environment in Environment.allCases { put(certificate.environments.contains(environment)) }
    for end in [certificate.notBefore, certificate.notAfter] { put(signed: end.nanoseconds) }
    let isKnown = !certificate.fingerprint.isEmpty
    put(byte: (certificate.flaw.map(Self.number) ?? 0) | (isKnown ? CertificateMark.fingerprint : 0))
    if case .otherKey(let kind) = certificate.flaw { put(kind) }
    if isKnown { put(certificate.fingerprint) }
  }

  private static func number(_ flaw: ProviderCertificate.Flaw) -> UInt8 {
    switch flaw {
    case .unreadable: 1
    case .noAppleExtension: 2
    case .noTopic: 3
    case .otherKey: 4
    case .unknownAuthority: 5
    case .revoked: 6
    }
  }
}

private enum CertificateMark {
  /// Set in the byte of the flaw: the fingerprint follows. Older tapes have none.
  static let fingerprint: UInt8 = 0x80
}

extension TapeValueReader {
  mutating func certificate() throws(TapeCorruption) -> ProviderCertificate {
    let subject = try text()
    var topics: [String] = []
    for _ in 0..<(try count()) { topics.append(try text()) }
    var environments: Set<Environment> = []
    for environment in Environment.allCases where try truth() { environments.insert(environment) }
    let (begin, end) = (try instant(), try instant())
    guard begin <= end else { throw .invalid("a certificate that ends before it begins") }
    let mark = try byte()
    let flaw = try flaw(mark)
    return ProviderCertificate(
      subject: subject, topics: topics, environments: environments, validity: begin...end, flaw: flaw,
      fingerprint: mark & CertificateMark.fingerprint == 0 ? "" : try text())
  }

  private mutating func flaw(_ mark: UInt8) throws(TapeCorruption) -> ProviderCertificate.Flaw? {
    switch mark & ~CertificateMark.fingerprint {
    case 0: return nil
    case 1: return .unreadable
    case 2: return .noAppleExtension
    case 3: return .noTopic
    case 4: return .otherKey(try text())
    case 5: return .unknownAuthority
    case 6: return .revoked
    default: throw .invalid("a flaw \(mark) of a certificate")
    }
  }
}
