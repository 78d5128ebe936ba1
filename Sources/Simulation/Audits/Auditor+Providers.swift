import APNs
import Timeline

/// What a backend does with its provider tokens.
extension Auditor {
  mutating func watchProvider(_ record: PushRecord, _ authorization: UInt64?) {
    guard let key = record.keyNumber, let token = authorization else { return }
    let now = record.at.wall
    guard let present = providers[key] else { return providers[key] = (token, now) }
    guard present.token != token else { return }
    if now < present.since.advanced(by: Self.tokenAge) {
      find(
        .providerTokenRenewed, record.at.world, nil, record.answer.id,
        "A new provider token though the last was first used \(Self.ago(present.since, now)); keep one for 20 to 60"
          + " minutes, for all workers.")
    }
    providers[key] = (token, now)
  }

  /// Reports each expired provider token once.
  mutating func watchExpiry(_ record: PushRecord, _ authorization: UInt64?) {
    guard record.answer.rejection?.reason == .expiredProviderToken, let token = authorization else { return }
    if expired.count >= Self.mostTokens { expired.removeAll() }
    guard expired.insert(token).inserted else { return }
    find(
      .providerTokenExpired, record.at.world, nil, record.answer.id,
      "A push with a provider token older than an hour; make a new one every 20 to 60 minutes, also in workers that run"
        + " for long, and let the machine's clock be right.")
  }
}
