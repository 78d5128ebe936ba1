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
        "A new provider token, although the previous one was first used \(Self.ago(present.since, now)); use each for"
          + " 20 to 60 minutes, in all workers.")
    }
    providers[key] = (token, now)
  }

  /// Reports each expired provider token once.
  mutating func watchExpiry(_ record: PushRecord, _ authorization: UInt64?) {
    guard record.answer.rejection?.reason == .expiredProviderToken, let token = authorization else { return }
    guard expired[token] == nil else { return }
    expired[token] = ()
    find(
      .providerTokenExpired, record.at.world, nil, record.answer.id,
      "A push with a provider token older than an hour; make a new one every 20 to 60 minutes, also in workers that run"
        + " for a long time, and check the machine's clock.")
  }

  static func ago(_ then: Instant, _ now: Instant) -> String {
    "\(DurationText.write(then.duration(to: now))) before"
  }
}
