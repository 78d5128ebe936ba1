import APNs
import Timeline

extension LiveActivity {
  package enum Status: Hashable, Sendable {
    case live
    /// The activity has ended or the token was rotated, but it is still answered 200.
    case lingering
    case expired(since: Instant)
    case unregistered(since: Instant)
    case neverIssued
  }

  package func status(of address: Address, at now: Instant) -> Status {
    Self.status([self], 0, of: address, at: now)
  }

  /// Status of the token of one of several activities, reading fields in place.
  static func status(
    _ activities: [LiveActivity], _ index: Int, of address: Address, at now: Instant
  ) -> Status {
    guard activities[index].hasToken || address.isGiven else { return .neverIssued }
    let expiry = activities[index].expiry
    // APNs can only know of activities that have ended.
    if activities[index].hasEnded, let notice = activities[index].details[0].notice, notice <= now,
      notice <= expiry
    {
      return activities[index].details[0].isNoticedAsExpired ? .expired(since: notice) : .unregistered(since: notice)
    }
    switch activities[index].token.status(of: address, at: now) {
    case .neverIssued: return .neverIssued
    case .unregistered(let since): return .unregistered(since: since)
    case .lingering: return expiry <= now ? .expired(since: expiry) : .lingering
    case .current:
      if expiry <= now { return .expired(since: expiry) }
      return activities[index].hasEnded ? .lingering : .live
    }
  }
}
