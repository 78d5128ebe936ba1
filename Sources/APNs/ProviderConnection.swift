import Timeline

/// The state that APNs keeps for one provider connection.
///
/// Documented: the first push binds the connection to a team and a key; the connection may change its token only so
/// often; one stream is allowed until a request with a valid token was seen ("Establishing a token-based connection to
/// APNs").
package struct ProviderConnection: Sendable {
  package let environment: Environment
  /// True if the provider is authorized, by its certificate or by an accepted provider token: from then on, more than
  /// one stream is allowed.
  package internal(set) var isAuthorised = false
  /// Nil if the provider authenticates by token.
  package private(set) var certified: CertifiedProvider?
  package internal(set) var teamID: String?
  package internal(set) var keyNumber: Int?

  /// False for the admin API's own: its tokens are not a change of those of the backend that has the same key.
  package var countsForKey = true

  var changes = TokenChanges()
  /// The last accepted token, so that the next push with the same token needs only a comparison.
  var passed: Passed?
  /// The last resolved topic, kept for the same reason.
  var resolved: Resolved?

  struct Passed: Sendable {
    let text: [UInt8]
    let keyNumber: Int
    let validity: ProviderTokenValidity
    /// See `PushRules`.
    let generation: UInt64
  }

  struct Resolved: Sendable {
    let text: [UInt8]
    let keyNumber: Int
    let topic: Topic
    let isAllowed: Bool
  }

  package init(environment: Environment) {
    self.environment = environment
    certified = nil
  }

  /// The connection of a client that has presented a certificate, which is checked at the time `wall`.
  package init(
    environment: Environment, certificate: ProviderCertificate, _ rulebook: Rulebook, at wall: Instant
  ) {
    self.environment = environment
    let certified = CertifiedProvider(certificate, in: environment, rulebook, at: wall)
    self.certified = certified
    isAuthorised = certified.refusal == nil
  }

  /// Called when all rules about a provider token have passed: binds the connection to its first key, and allows more
  /// streams.
  mutating func bind(to passed: Passed, ofTeam team: String) {
    if keyNumber == nil {
      keyNumber = passed.keyNumber
      teamID = team
    }
    isAuthorised = true
    self.passed = passed
  }

  /// Called when the certificate with that fingerprint is revoked.
  ///
  /// - Returns: why it is rejected from now on; nil if the connection has no such certificate, or was rejected before.
  package mutating func revoke(
    certificate fingerprint: String, _ rulebook: Rulebook, at wall: Instant
  ) -> CertificateRefusal? {
    mark(.revoked, rulebook, at: wall) { $0.fingerprint == fingerprint }
  }

  /// Called when certificates are suspended.
  ///
  /// - Returns: why the certificate is rejected from now on; nil if it is not suspended, or was rejected before.
  package mutating func suspend(
    _ suspended: SuspendedCertificates, _ rulebook: Rulebook, at wall: Instant
  ) -> CertificateRefusal? {
    mark(.suspended, rulebook, at: wall) { suspended.contains($0.fingerprint) }
  }

  private mutating func mark(
    _ flaw: ProviderCertificate.Flaw, _ rulebook: Rulebook, at wall: Instant,
    if isMeant: (ProviderCertificate) -> Bool
  ) -> CertificateRefusal? {
    guard let certified, certified.refusal == nil, isMeant(certified.certificate) else { return nil }
    let marked = CertifiedProvider(certified.certificate.marked(flaw), in: environment, rulebook, at: wall)
    self.certified = marked
    return marked.refusal
  }
}

/// The interval of wall clock time in which a provider token is valid. Computed once, and compared for every push.
struct ProviderTokenValidity: Hashable, Sendable {
  let from: Instant
  /// Inclusive.
  let to: Instant

  init(issuedAt: Instant, _ rulebook: Rulebook) {
    from = issuedAt.advanced(by: .zero - Rulebook.providerTokenLead)
    to = issuedAt.advanced(by: rulebook.providerTokenLife)
  }

  /// The rule that the token breaks at that time.
  @inline(__always)
  func broken(at wall: Instant) -> Rule? {
    guard from <= wall else { return .providerTokenNotFromFuture }
    guard to >= wall else { return .providerTokenFresh }
    return nil
  }
}

/// The provider tokens presented so far, and whether one more change is allowed.
///
/// Documented: a new token no more than once in 20 minutes on a connection. Measured by arrival, not by `iat`, which
/// the client chooses freely. A rejected token is not recorded, so it is checked again after the window.
package struct TokenChanges: Hashable, Sendable {
  private struct Sighting: Hashable, Sendable {
    let digest: UInt64
    let at: Instant
    /// False for the first token of all.
    let isChange: Bool
  }

  /// Number of tokens remembered. A token older than an hour is invalid anyway, and only a few may be presented in an
  /// hour.
  private static let remembered = 32
  /// The maximum number of changes that a rulebook may allow within the window: fewer than are remembered.
  package static let mostAllowed = 16

  private var sightings: [Sighting] = []

  package init() {}

  /// Records a token; false if this is one change too many.
  package mutating func present(_ digest: UInt64, at now: Instant, allowed: Int, window: Duration) -> Bool {
    if sightings.contains(where: { $0.digest == digest }) { return true }
    let since = now.advanced(by: .zero - window)
    let changes = sightings.count { $0.isChange && $0.at > since }
    guard sightings.isEmpty || changes < allowed else { return false }
    if sightings.count >= Self.remembered { sightings.removeFirst() }
    sightings.append(Sighting(digest: digest, at: now, isChange: !sightings.isEmpty))
    return true
  }
}
