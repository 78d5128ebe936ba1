import Timeline

/// One Live Activity on one install, as far as its token depends on it.
package struct LiveActivity: Hashable, Sendable {
  package enum Origin: String, Hashable, Sendable {
    /// Ran when the world began.
    case fleet
    case push
    case command
  }

  /// Counts the activities of its install.
  package let number: UInt32
  /// Number of its attributes type in the app's profile.
  package let type: Int
  package let startedAt: Instant
  /// When its life is over at the latest, and its token with it.
  package let expiry: Instant
  package let origin: Origin
  package private(set) var endedAt: Instant?
  /// When APNs answers 410 for it; nil while it lives, or while nothing has told APNs.
  private var notice: Instant?
  package var token = TokenState()

  package init(number: UInt32, type: Int, startedAt: Instant, origin: Origin, life: Duration) {
    expiry = startedAt.advanced(by: life)
    self.number = number
    self.type = type
    self.startedAt = startedAt
    self.origin = origin
  }

  /// Whether it is over by now, ended or run out.
  package func isOver(at now: Instant) -> Bool { endedAt != nil || expiry <= now }

  /// - Parameter isOnline: only a phone with a connection can tell APNs.
  package mutating func end(_ habits: Habits, isOnline: Bool, at now: Instant) {
    guard endedAt == nil else { return }
    endedAt = now
    if isOnline { tellAPNs(habits, at: now) }
  }

  /// The phone is back: what ended in the meantime becomes known.
  package mutating func tellAPNs(_ habits: Habits, at now: Instant) {
    guard endedAt != nil, notice == nil, let delay = habits.deadActivityNotice else { return }
    notice = now.advanced(by: delay)
  }

  package enum Standing: Hashable, Sendable {
    case live
    /// Over, or its token rotated away, but answered 200.
    case lingering
    case expired(since: Instant)
    case unregistered(since: Instant)
    case neverIssued
  }

  package func standing(of address: Address, at now: Instant) -> Standing {
    if let notice, notice <= now, notice <= expiry { return .unregistered(since: notice) }
    switch token.standing(of: address, at: now) {
    case .neverIssued: return .neverIssued
    case .unregistered(let since): return .unregistered(since: since)
    case .lingering: return expiry <= now ? .expired(since: expiry) : .lingering
    case .current:
      if expiry <= now { return .expired(since: expiry) }
      return endedAt == nil ? .live : .lingering
    }
  }
}
