import APNs
import Timeline

/// Findings about the provider tokens of a backend.
extension Auditor {
  mutating func watchProvider(_ record: PushRecord, _ authorization: UInt64?) {
    guard let key = record.keyNumber, let token = authorization else { return }
    let now = record.at.wall
    let mistake: AuditFinding.Mistake
    switch providers[key, default: ProviderTokens()].use(token, at: now) {
    case nil: return
    case .renewed(let since):
      mistake = .init("A new provider token, although the previous one was first used \(Self.ago(since, now))")
    case .alternating(let count, let since):
      mistake = .init(
        "\(count) provider tokens of one key in turn, the newest for \(DurationText.write(since.duration(to: now)))",
        instead: "make one token for all workers, and renew it every 20 to 60 minutes")
    }
    find(.providerTokenRenewed, at: record.at.world, on: nil, push: record.answer.id, mistake: mistake)
  }

  /// Reports each expired provider token once.
  mutating func watchExpiry(_ record: PushRecord, _ authorization: UInt64?) {
    guard record.answer.rejection?.reason == .expiredProviderToken, let token = authorization else { return }
    guard expired[token] == nil else { return }
    expired[token] = ()
    find(
      .providerTokenExpired, at: record.at.world, on: nil, push: record.answer.id,
      mistake: .init("A push with a provider token older than an hour"))
  }

  static func ago(_ then: Instant, _ now: Instant) -> String {
    "\(DurationText.write(then.duration(to: now))) before"
  }
}
