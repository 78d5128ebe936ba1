import APNs
import Timeline
import WireFormats

/// One Live Activity on one install.
///
///     scheduled ──its date──▶ active ──stale date──▶ stale ──update──▶ active
///                               ▲ allow                │ end, eight hours, user, system
///     prompting ────────────────┘                      ▼
///         └──deny, swipe──▶ dismissed ◀──dismissal── ended: frozen on the Lock Screen, gone from the Dynamic Island
///
/// Documented: `ActivityState`. Stale and dismissed are read off the dates, so no state can disagree with the clock.
package struct LiveActivity: Hashable, Sendable {
  package enum Origin: String, Hashable, Sendable {
    /// Ran when the world began.
    case fleet
    case push
    /// Started by its app.
    case command
  }

  /// Documented: what an app sees as `activityState`; `prompting` is a card whose question is not answered.
  package enum State: String, CaseIterable, Hashable, Sendable {
    case scheduled
    case prompting
    case active
    case stale
    case ended
    case dismissed
  }

  private enum Phase: Hashable, Sendable {
    case scheduled
    case prompting
    case running
  }

  /// Counts the activities of its install.
  package let number: UInt32
  /// Number of its attributes type in the app's profile.
  package let type: Int
  /// When it began, or is to begin.
  package let startedAt: Instant
  /// When its life is over at the latest, and its token with it.
  package let expiry: Instant
  package let origin: Origin
  package internal(set) var updates = ActivityUpdates.token
  private var phase = Phase.running
  /// Ends by itself when the phone is locked (iOS 18). Documented: `ActivityStyle.transient`.
  package internal(set) var isTransient = false
  /// APNs has made its update token.
  package private(set) var hasToken = true
  /// Counts to the limits though it is over, until the phone is rebooted.
  var isLeaked = false
  /// The question is back under its card, which goes on running.
  package internal(set) var isAskedAgain = false
  /// Its card is never drawn again.
  private(set) var isStuck = false
  package private(set) var endedAt: Instant?
  /// When its card leaves the Lock Screen; known once it has ended.
  private var dismissal: Instant?
  /// When APNs answers 410 for it; nil while it lives, or while nothing has told APNs.
  private var notice: Instant?
  /// What APNs then says is `ExpiredToken`.
  private var isNoticedAsExpired = false
  package var token = TokenState()
  var budget = UpdateBudget()

  /// The newest `aps.timestamp` applied, in seconds. Documented: the phone shows the latest state only.
  package private(set) var lastTimestamp: Double
  /// Number of the push that brought it; nil where no push did.
  var timestampPush: UInt64?
  /// When its content came.
  package private(set) var appliedAt: Instant
  package private(set) var staleDate: Instant?
  /// When the phone looks next whether it is stale.
  var staleCheck: Instant?
  package private(set) var relevance: Double = 0
  /// What started it, and so its attributes.
  package private(set) var attributes = ActivityContent.none
  /// Bytes of its attributes as compact JSON.
  package private(set) var attributesSize = 0
  /// Its content state: the truth, drawn or not.
  package private(set) var content = ActivityContent.none
  /// What the card shows while it waits to be drawn anew.
  private var drawn = ActivityContent.none
  /// Bytes that attributes and contents are charged with.
  private(set) var memory: UInt32 = 0
  private var rendering: RenderSpacing

  package init(number: UInt32, type: Int, startedAt: Instant, origin: Origin, life: Duration) {
    expiry = startedAt.advanced(by: life)
    lastTimestamp = Double(startedAt.seconds)
    appliedAt = startedAt
    rendering = RenderSpacing(drawnAt: startedAt)
    self.number = number
    self.type = type
    self.startedAt = startedAt
    self.origin = origin
  }

  /// Whether it is over by now, ended or run out.
  package func isOver(at now: Instant) -> Bool { endedAt != nil || expiry <= now }
  /// Whether it may be updated: begun, allowed and not over.
  package func isRunning(at now: Instant) -> Bool { phase == .running && !isOver(at: now) }
  package var isPrompting: Bool { phase == .prompting }
  /// Whether there is a question under its card.
  package var hasQuestion: Bool { isPrompting || isAskedAgain }
  package var isScheduled: Bool { phase == .scheduled }

  /// One that a token updates, and which of its tokens that is.
  package struct Updatable: Hashable, Sendable {
    package let number: UInt32
    package let generation: UInt32
    package let isGiven: Bool
  }

  /// Shows those that a token updates now, each field looked at where it lies.
  package static func showUpdatable(
    among activities: [LiveActivity], at now: Instant, _ show: (Updatable) -> Void
  ) {
    for index in activities.indices {
      guard activities[index].hasToken, activities[index].endedAt == nil, activities[index].expiry > now,
        activities[index].phase == .running, case .token = activities[index].updates
      else { continue }
      show(
        Updatable(
          number: activities[index].number, generation: activities[index].token.generation,
          isGiven: activities[index].token.isGiven))
    }
  }

  package func state(_ habits: Habits, at now: Instant) -> State {
    if isOver(at: now) { return dismissal(habits) <= now ? .dismissed : .ended }
    switch phase {
    case .scheduled: return .scheduled
    case .prompting: return .prompting
    case .running: return staleDate.map { $0 <= now } ?? false ? .stale : .active
    }
  }

  /// Whether there is a card of it.
  package func isShown(_ habits: Habits, at now: Instant) -> Bool {
    let state = state(habits, at: now)
    return state != .dismissed && state != .scheduled
  }

  /// When its card leaves the Lock Screen, once it is over.
  ///
  /// Documented: four hours after the end, unless the end said earlier or the user was faster.
  package func dismissal(_ habits: Habits) -> Instant {
    dismissal ?? expiry.advanced(by: habits.expiredLinger)
  }

  /// What the card shows, and when it will show what was applied since; nil when that is so.
  package func shown(at now: Instant) -> (content: ActivityContent, due: Instant?) {
    if isStuck { return (drawn, .distantFuture) }
    guard let due = rendering.nextDue, due > now else { return (content, nil) }
    return (drawn, due)
  }

  /// What the card shows, for the record of what takes its place.
  ///
  /// Mutating in name only: it would otherwise be handed a copy of the activity for every push.
  mutating func onScreen(at now: Instant) -> Reaction.Shown {
    Reaction.Shown(content: shown(at: now).content, isStale: staleDate.map { $0 <= now } ?? false)
  }

  /// How long the screen has been behind.
  package func lag(at now: Instant) -> Duration {
    guard let due = rendering.nextDue, due > now else { return .zero }
    return rendering.lag(at: now)
  }

  // MARK: - What happens to it

  /// A push has started it.
  mutating func begin(_ payload: ActivityPayload, _ request: HTTPRequest, timestamp: Double, attributesSize: Int) {
    lastTimestamp = timestamp
    staleDate = payload.staleDate
    relevance = payload.relevance
    attributes = .push(request)
    content = .push(request)
    self.attributesSize = attributesSize
    measure()
  }

  /// Its app has started it.
  mutating func begin(_ order: StartOrder, attributesSize: Int) {
    staleDate = order.staleDate
    relevance = order.relevance
    attributes = order.attributes.map { .local($0) } ?? .none
    content = order.content.map { .local($0) } ?? .none
    self.attributesSize = attributesSize
    measure()
  }

  /// Its card is never drawn again.
  mutating func stick() {
    isStuck = true
    drawn = content
    measure()
  }

  /// The phone needs the room.
  mutating func forgetContent() {
    attributes = .none
    content = .none
    drawn = .none
    measure()
  }

  private mutating func measure() { memory = UInt32(clamping: attributes.memory + content.memory + drawn.memory) }

  mutating func ask() { phase = .prompting }
  mutating func allow() { phase = .running }
  mutating func schedule() { phase = .scheduled }
  mutating func commence() { phase = .running }
  mutating func awaitToken() { hasToken = false }
  mutating func receiveToken() { hasToken = true }

  /// An update is applied: whatever it does not say is forgotten, the stale date included. Assumed for the stale date.
  ///
  /// - Returns: whether it is drawn at once.
  mutating func apply(
    _ said: ActivityReading, _ request: HTTPRequest, timestamp: Double, alerts: Bool, spacing: Int64,
    at now: Instant
  ) -> Bool {
    lastTimestamp = timestamp
    staleDate = said.staleDate
    relevance = said.relevance
    return show(.push(request), alerts: alerts, spacing: spacing, at: now)
  }

  /// Its app updates it.
  mutating func apply(_ order: UpdateOrder, spacing: Int64, at now: Instant) -> Bool {
    // One without a timestamp is of now, which is no leave for a push older than what was applied before.
    let timestamp = order.timestamp ?? Double(now.seconds)
    if timestamp > lastTimestamp {
      lastTimestamp = timestamp
      timestampPush = nil
    }
    staleDate = order.staleDate
    if let relevance = order.relevance { self.relevance = relevance }
    return show(.local(order.content), alerts: order.alerts, spacing: spacing, at: now)
  }

  private mutating func show(_ new: ActivityContent, alerts: Bool, spacing: Int64, at now: Instant) -> Bool {
    // What fell due since was drawn then.
    if let due = rendering.nextDue, due <= now { _ = rendering.wake(at: due) }
    let wasBehind = rendering.nextDue != nil
    let old = content
    content = new
    appliedAt = now
    defer { measure() }
    if isStuck { return false }
    switch rendering.apply(alerts: alerts, spacing: spacing, at: now) {
    case .draw, .nothing:
      drawn = .none
      return true
    case .wait:
      if !wasBehind { drawn = old }
      return false
    }
  }

  /// The last content before the end; without any the one before stays. Documented.
  mutating func conclude(_ said: ActivityReading, _ request: HTTPRequest, timestamp: Double, at now: Instant) {
    lastTimestamp = timestamp
    // An end is drawn at once. Assumed.
    if said.hasContent { _ = show(.push(request), alerts: true, spacing: 0, at: now) }
  }

  mutating func conclude(_ content: JSONValue, at now: Instant) {
    _ = show(.local(content), alerts: true, spacing: 0, at: now)
  }

  /// - Parameters:
  ///   - requested: when the card shall go; nil for the default.
  ///   - isOnline: only a phone with a connection can tell APNs.
  package mutating func end(dismissing requested: Instant? = nil, _ habits: Habits, isOnline: Bool, at now: Instant) {
    guard endedAt == nil else { return }
    endedAt = now
    // Documented: a date in the past, now included, dismisses at once; one beyond four hours is held to them.
    let latest = now.advanced(by: now >= expiry ? habits.expiredLinger : habits.linger)
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
    isNoticedAsExpired = habits.deadActivityReason == .expiredToken
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
    Self.standing([self], 0, of: address, at: now)
  }

  /// The same of one among several, each field looked at where it lies.
  static func standing(
    _ activities: [LiveActivity], _ index: Int, of address: Address, at now: Instant
  ) -> Standing {
    guard activities[index].hasToken || address.isGiven else { return .neverIssued }
    let expiry = activities[index].expiry
    if let notice = activities[index].notice, notice <= now, notice <= expiry {
      return activities[index].isNoticedAsExpired ? .expired(since: notice) : .unregistered(since: notice)
    }
    switch activities[index].token.standing(of: address, at: now) {
    case .neverIssued: return .neverIssued
    case .unregistered(let since): return .unregistered(since: since)
    case .lingering: return expiry <= now ? .expired(since: expiry) : .lingering
    case .current:
      if expiry <= now { return .expired(since: expiry) }
      return activities[index].endedAt == nil ? .live : .lingering
    }
  }
}
