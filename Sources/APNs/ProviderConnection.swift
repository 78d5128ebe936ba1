import Timeline

/// What APNs remembers of one provider's connection.
///
/// Documented: the first push binds it to a team and a key; it may change its token only so often; one stream is
/// allowed until a request with a valid token was seen ("Establishing a token-based connection to APNs").
package struct ProviderConnection: Sendable {
  package let environment: Environment
  /// The provider is known, by its certificate or the first provider token that passed: from then on more than one
  /// stream is allowed.
  package internal(set) var isAuthorised = false
  /// Nil where the provider authenticates by token.
  package let certified: CertifiedProvider?
  package internal(set) var teamID: String?
  package internal(set) var keyNumber: Int?

  var changes = TokenChanges()
  /// The last token that passed, so that the next push with the same one is a comparison.
  var passed: Passed?
  /// The last topic that was resolved, likewise.
  var resolved: Resolved?

  struct Passed: Sendable {
    let text: [UInt8]
    let keyNumber: Int
    let validity: ProviderTokenValidity
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

  /// The connection of a client that has presented a certificate; it is judged by the time `wall`.
  package init(
    environment: Environment, certificate: ProviderCertificate, _ rulebook: Rulebook, at wall: Instant
  ) {
    self.environment = environment
    let certified = CertifiedProvider(certificate, in: environment, rulebook, at: wall)
    self.certified = certified
    isAuthorised = certified.refusal == nil
  }
}

/// From when to when a provider token is good, by the wall clock; reckoned once, and compared for every push.
struct ProviderTokenValidity: Hashable, Sendable {
  let from: Instant
  /// Still good then.
  let to: Instant

  init(issuedAt: Instant, _ rulebook: Rulebook) {
    from = issuedAt.advanced(by: .zero - rulebook.providerTokenLead)
    to = issuedAt.advanced(by: rulebook.providerTokenLife)
  }
}

/// Which provider tokens have been presented, and whether one more change is allowed.
///
/// Documented: a new token no more than once in 20 minutes on a connection. Measured by arrival and not by `iat`,
/// which a client may write as it likes. A refused token is not noted, so it is judged anew when the window has moved.
package struct TokenChanges: Hashable, Sendable {
  private struct Sighting: Hashable, Sendable {
    let digest: UInt64
    let at: Instant
    /// The first token of all is no change.
    let isChange: Bool
  }

  /// Tokens kept in mind. A token older than its hour is worthless, and at most a few may come in an hour.
  private static let remembered = 32
  /// Changes that a rulebook may allow within the window: fewer than are kept in mind.
  package static let mostAllowed = 16

  private var sightings: [Sighting] = []

  package init() {}

  /// Notes a token; false when it is one change too many.
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
