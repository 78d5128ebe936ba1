import Timeline

/// Rate limit for one token or channel.
package struct RequestRate: Hashable, Sendable {
  /// Nanoseconds per request.
  package let interval: Int64
  /// Number of requests that may arrive at once after a pause.
  package let burst: Int

  /// - Precondition: `count` and `burst` are positive.
  package init(_ count: Int, in period: Duration, burst: Int) {
    precondition(count > 0 && burst > 0, "the rate and the burst are positive; use nil for no limit")
    interval = Int64(period / .nanoseconds(1)) / Int64(count)
    self.burst = burst
  }

  /// - Precondition: both are positive.
  package init(perSecond: Int, burst: Int) { self.init(perSecond, in: .seconds(1), burst: burst) }

  package var perSecond: Int { Int(1_000_000_000 / interval) }
}

/// The used part of the rate limit of a token or a channel: the generic cell rate algorithm, one
/// instant each.
package struct RateState: Hashable, Sendable {
  private var nextIdle = Instant.distantPast

  package init() {}

  /// True if the whole rate limit is free, as if no request had been counted.
  package func isIdle(at now: Instant) -> Bool { nextIdle <= now }

  /// Counts one request; false if it exceeds the rate limit. A rejected request is not counted.
  package mutating func admit(_ rate: RequestRate, at now: Instant) -> Bool {
    let start = max(nextIdle, now)
    let (ahead, isFar) = start.nanoseconds.subtractingReportingOverflow(now.nanoseconds)
    guard !isFar, ahead <= rate.interval * Int64(rate.burst - 1) else { return false }
    nextIdle = Instant(nanoseconds: start.nanoseconds &+ rate.interval)
    return true
  }
}
