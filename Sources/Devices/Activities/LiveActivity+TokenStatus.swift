import APNs
import Timeline

extension LiveActivity {
  package enum Status: Hashable, Sendable {
    case live
    /// Over, or its token rotated away, but answered 200.
    case lingering
    case expired(since: Instant)
    case unregistered(since: Instant)
    case neverIssued
  }

  package func status(of address: Address, at now: Instant) -> Status {
    Self.status([self], 0, of: address, at: now)
  }

  /// The same of one among several, each field looked at where it lies.
  static func status(
    _ activities: [LiveActivity], _ index: Int, of address: Address, at now: Instant
  ) -> Status {
    guard activities[index].hasToken || address.isGiven else { return .neverIssued }
    let expiry = activities[index].expiry
    // Only what has ended can have become known to APNs.
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
