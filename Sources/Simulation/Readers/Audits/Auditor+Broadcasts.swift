import APNs
import Timeline

/// Broadcasts are audited as requests. What phones do with one would be a finding for each of them.
extension Auditor {
  /// Checks the time of a broadcast.
  mutating func read(_ record: ChannelRecord) {
    guard record.stream.connection.number < ProviderConnectionID.firstOfAdmin, let channel = record.channelID else {
      return
    }
    let (key, now) = (Self.hash(channel.text.utf8), record.at.world)
    var known = tokens[key] ?? AuditedToken()
    if let notBefore = known.notBefore, now < notBefore {
      find(
        .hastyRetry, at: now, on: nil, push: nil,
        mistake: .init(
          "A broadcast to a channel within a second of a 429 or 5xx for it",
          instead: "back off, and then send the newest state only"))
    }
    known.notBefore = Self.earliest(after: record.answer.status, at: now)
    tokens[key] = known
  }

  /// The time from which on a push counts as a retry that waited; nil if there is nothing to wait for.
  static func earliest(after status: Int, at now: Instant) -> Instant? {
    status == 429 || status >= 500 ? now.advanced(by: patience) : nil
  }
}
