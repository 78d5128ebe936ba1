import Timeline

/// What APNs remembers of one provider's connection.
///
/// Documented: the first push binds it to a team and a key; it may change its token only so often; one stream is
/// allowed until a request with a valid token was seen ("Establishing a token-based connection to APNs").
package struct ProviderConnection: Sendable {
  package let environment: Environment
  /// The first provider token that passed: from then on more than one stream is allowed.
  package internal(set) var isAuthorised = false
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
    let validity: ProviderValidity
  }

  struct Resolved: Sendable {
    let text: [UInt8]
    let keyNumber: Int
    let topic: Topic
    let isAllowed: Bool
  }

  package init(environment: Environment) { self.environment = environment }
}

/// From when to when a provider token is good, by the wall clock; reckoned once, and compared for every push.
struct ProviderValidity: Hashable, Sendable {
  let from: Instant
  /// Still good then.
  let to: Instant

  init(issuedAt: Instant, _ rulebook: Rulebook) {
    from = issuedAt.advanced(by: .zero - rulebook.providerTokenLead)
    to = issuedAt.advanced(by: rulebook.providerTokenLife)
  }
}
