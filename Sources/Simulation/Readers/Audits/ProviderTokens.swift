import Timeline

/// The provider tokens of one key that a backend has used lately.
struct ProviderTokens: Sendable {
  enum Mistake: Equatable {
    /// A new token before the last one was old enough, which was first used at this time.
    case renewed(since: Instant)
    /// Several tokens in turn, the newest of which was first used at this time.
    case alternating(Int, since: Instant)
  }

  private struct Token: Sendable {
    let hash: UInt64
    let firstUsed: Instant
    var lastUsed: Instant
  }

  /// Number of tokens remembered; the one that was not used for longest is forgotten.
  private static let most = 16
  /// Assumed: a token is out of use after this time, and pushes that come within it after a renewal were signed before.
  static let lingering: Duration = .seconds(60)

  /// The newest last.
  private var tokens: [Token] = []
  /// The token of the last push.
  private var latest: UInt64?
  private var hasAlternated = false

  /// Records the use of a token.
  ///
  /// - Returns: what is wrong with it: once for each new token, and once for several tokens in turn.
  mutating func use(_ hash: UInt64, at now: Instant) -> Mistake? {
    let isInTurn = latest != nil && latest != hash
    latest = hash
    guard let place = tokens.lastIndex(where: { $0.hash == hash }) else { return begin(hash, at: now) }
    tokens[place].lastUsed = now
    guard isInTurn, !hasAlternated, place < tokens.count - 1, let newest = tokens.last,
      newest.firstUsed.advanced(by: Self.lingering) <= now, now <= newest.lastUsed.advanced(by: Self.lingering)
    else { return nil }
    hasAlternated = true
    let inUse = tokens.count { now <= $0.lastUsed.advanced(by: Self.lingering) }
    return .alternating(max(2, inUse), since: newest.firstUsed)
  }

  private mutating func begin(_ hash: UInt64, at now: Instant) -> Mistake? {
    let newest = tokens.last
    if tokens.count >= Self.most, let oldest = tokens.indices.min(by: { tokens[$0].lastUsed < tokens[$1].lastUsed }) {
      tokens.remove(at: oldest)
    }
    tokens.append(Token(hash: hash, firstUsed: now, lastUsed: now))
    guard let newest, now < newest.firstUsed.advanced(by: Auditor.tokenAge) else { return nil }
    return .renewed(since: newest.firstUsed)
  }
}
