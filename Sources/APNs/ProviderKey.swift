/// A provider's signing key, as it is registered with Apple: its public half and what it may be used for.
///
/// Documented: since February 2025 a key is for one environment or (older ones) for both, for the whole team or for
/// named topics, and a topic-specific key may have one related key ("Establishing a token-based connection to APNs").
package struct ProviderKey: Hashable, Sendable {
  package let keyID: String
  package let teamID: String
  /// Environments that the key is good for.
  package let environments: Set<Environment>
  /// Bundle ids that the key is good for; nil for all of its team.
  package let topics: [String]?
  /// The one other key that may be used beside it on a connection.
  package let relatedKeyID: String?

  package init(
    keyID: String, teamID: String, environments: Set<Environment>, topics: [String]? = nil, relatedKeyID: String? = nil
  ) {
    self.keyID = keyID
    self.teamID = teamID
    self.environments = environments
    self.topics = topics
    self.relatedKeyID = relatedKeyID
  }

  package func isRelated(to other: ProviderKey) -> Bool {
    keyID == other.keyID || relatedKeyID == other.keyID || other.relatedKeyID == keyID
  }
}
