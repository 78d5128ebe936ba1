import Timeline
import WireFormats

/// One Live Activity on one install.
///
///     active ──stale date──▶ stale ──update──▶ active
///       │ end, eight hours, user       (ended: frozen on the Lock Screen, gone from the Dynamic Island)
///       └──────────────▶ ended ──dismissal──▶ dismissed
///
/// Documented: `ActivityState`. Stale and dismissed are read off the dates, so nothing has to happen at them.
package struct LiveActivity: Hashable, Sendable {
  package enum Origin: String, Hashable, Sendable {
    /// Ran when the world began.
    case fleet
    case push
    case command
  }

  /// Documented: what an app sees as `activityState`.
  package enum State: String, Hashable, Sendable {
    case active
    case stale
    case ended
    case dismissed
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
  /// When its card leaves the Lock Screen; known once it has ended.
  private var dismissal: Instant?
  /// When APNs answers 410 for it; nil while it lives, or while nothing has told APNs.
  private var notice: Instant?
  package var token = TokenState()

  /// The newest `aps.timestamp` applied, in seconds. Documented: the phone shows the latest state only.
  package private(set) var lastTimestamp: Double
  package private(set) var staleDate: Instant?
  package private(set) var relevance: Double = 0
  /// The push that started it, and so its attributes; nil for one that the app started.
  package private(set) var start: HTTPRequest?
  /// Bytes of its attributes as compact JSON.
  package private(set) var attributesSize = 0
  /// The push whose content state it shows. Kept whole: what is on screen is read when somebody asks.
  package private(set) var content: HTTPRequest?

  package init(number: UInt32, type: Int, startedAt: Instant, origin: Origin, life: Duration) {
    expiry = startedAt.advanced(by: life)
    lastTimestamp = Double(startedAt.seconds)
    self.number = number
    self.type = type
    self.startedAt = startedAt
    self.origin = origin
  }

  /// Whether it is over by now, ended or run out.
  package func isOver(at now: Instant) -> Bool { endedAt != nil || expiry <= now }

  package func state(_ habits: Habits, at now: Instant) -> State {
    guard isOver(at: now) else { return staleDate.map { $0 <= now } ?? false ? .stale : .active }
    return dismissal(habits) <= now ? .dismissed : .ended
  }

  /// When its card leaves the Lock Screen, once it is over.
  ///
  /// Documented: four hours after the end, unless the end said earlier or the user was faster.
  package func dismissal(_ habits: Habits) -> Instant {
    dismissal ?? min(endedAt ?? expiry, expiry).advanced(by: habits.linger)
  }

  // MARK: - What happens to it

  /// A push has started it.
  mutating func begin(_ payload: ActivityPayload, _ request: HTTPRequest, timestamp: Double, attributesSize: Int) {
    lastTimestamp = timestamp
    staleDate = payload.staleDate
    relevance = payload.relevance
    start = request
    content = request
    self.attributesSize = attributesSize
  }

  /// An update is shown: whatever it does not say is forgotten, the stale date included. Assumed for the stale date.
  mutating func apply(_ payload: ActivityPayload, _ request: HTTPRequest, timestamp: Double) {
    lastTimestamp = timestamp
    staleDate = payload.staleDate
    relevance = payload.relevance
    content = request
  }

  /// The last content before the end; without any the one before stays. Documented.
  mutating func conclude(_ payload: ActivityPayload, _ request: HTTPRequest, timestamp: Double) {
    lastTimestamp = timestamp
    if payload.contentState != nil { content = request }
  }

  /// - Parameters:
  ///   - requested: when the card shall go; nil for the default.
  ///   - isOnline: only a phone with a connection can tell APNs.
  package mutating func end(dismissing requested: Instant? = nil, _ habits: Habits, isOnline: Bool, at now: Instant) {
    guard endedAt == nil else { return }
    endedAt = now
    // Documented: a date in the past, now included, dismisses at once; one beyond four hours is held to them.
    let latest = now.advanced(by: habits.linger)
    dismissal = min(max(requested ?? latest, now), latest)
    if isOnline { tellAPNs(habits, at: now) }
  }

  /// The user has swiped its card away, running or ended.
  package mutating func swipe(_ habits: Habits, isOnline: Bool, at now: Instant) {
    end(dismissing: now, habits, isOnline: isOnline, at: now)
    dismissal = now
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
