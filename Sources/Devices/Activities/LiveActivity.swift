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

  // Ordered so that nothing lies idle between them: a fleet may have millions of these.
  package var token = TokenState()
  private var phase = Phase.running
  package let origin: Origin
  private var flags = Flags.hasToken
  var budget = UpdateBudget()
  private let typeNumber: UInt16
  /// Counts the activities of its install.
  package let number: UInt32
  /// When it began, or is to begin.
  package let startedAt: Instant
  /// When its life is over at the latest, and its token with it.
  package let expiry: Instant
  @OneWordInstant package private(set) var endedAt: Instant?
  var details: OutOfLine<Details> = []

  private struct Flags: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let isTransient = Flags(rawValue: 1)
    static let hasToken = Flags(rawValue: 2)
    static let isLeaked = Flags(rawValue: 4)
    static let isAskedAgain = Flags(rawValue: 8)
    static let isStuck = Flags(rawValue: 16)
  }

  package init(number: UInt32, type: Int, startedAt: Instant, origin: Origin, life: Duration) {
    expiry = startedAt.advanced(by: life)
    self.number = number
    typeNumber = UInt16(clamping: type)
    self.startedAt = startedAt
    self.origin = origin
  }

  /// Number of its attributes type in the app's profile.
  package var type: Int { Int(typeNumber) }

  /// Ends by itself when the phone is locked (iOS 18). Documented: `ActivityStyle.transient`.
  package internal(set) var isTransient: Bool {
    get { flags.contains(.isTransient) }
    set { flags.set(.isTransient, newValue) }
  }

  /// APNs has made its update token.
  package var hasToken: Bool { flags.contains(.hasToken) }

  /// Counts to the limits though it is over, until the phone is rebooted.
  var isLeaked: Bool {
    get { flags.contains(.isLeaked) }
    set { flags.set(.isLeaked, newValue) }
  }

  /// The question is back under its card, which goes on running.
  package internal(set) var isAskedAgain: Bool {
    get { flags.contains(.isAskedAgain) }
    set { flags.set(.isAskedAgain, newValue) }
  }

  /// Its card is never drawn again.
  var isStuck: Bool { flags.contains(.isStuck) }

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
    case .running: return details.isStored && staleDate.map { $0 <= now } ?? false ? .stale : .active
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
    (details.isStored ? details[0].dismissal : nil) ?? expiry.advanced(by: habits.expiredLinger)
  }

  /// What the card shows, and when it will show what was applied since; nil when that is so.
  package func shown(at now: Instant) -> (content: ActivityContent, due: Instant?) {
    guard details.isStored else { return (.none, isStuck ? .distantFuture : nil) }
    if isStuck { return (details[0].drawn, .distantFuture) }
    guard let due = details[0].rendering?.nextDue, due > now else { return (details[0].content, nil) }
    return (details[0].drawn, due)
  }

  /// What the card shows, for the record of what takes its place.
  ///
  /// Mutating in name only: it would otherwise be handed a copy of the activity for every push.
  mutating func onScreen(at now: Instant) -> Reaction.Shown {
    Reaction.Shown(content: shown(at: now).content, isStale: staleDate.map { $0 <= now } ?? false)
  }

  /// How long the screen has been behind.
  package func lag(at now: Instant) -> Duration {
    guard details.isStored, let rendering = details[0].rendering, let due = rendering.nextDue, due > now else {
      return .zero
    }
    return rendering.lag(at: now)
  }

  // MARK: - What happens to it

  /// A push has started it.
  mutating func begin(_ payload: ActivityPayload, _ request: HTTPRequest, timestamp: Double, attributesSize: Int) {
    details.store()
    details[0].lastTimestamp = timestamp
    details[0].staleDate = payload.staleDate
    details[0].relevance = payload.relevance
    details[0].attributes = .push(request)
    details[0].content = .push(request)
    details[0].attributesSize = UInt32(clamping: attributesSize)
    details[0].measure()
  }

  /// Its app has started it.
  mutating func begin(_ order: StartOrder, attributesSize: Int) {
    guard order.staleDate != nil || order.relevance != 0 || order.attributes != nil || order.content != nil else {
      return
    }
    details.store()
    details[0].staleDate = order.staleDate
    details[0].relevance = order.relevance
    details[0].attributes = order.attributes.map { .local($0) } ?? .none
    details[0].content = order.content.map { .local($0) } ?? .none
    details[0].attributesSize = UInt32(clamping: attributesSize)
    details[0].measure()
  }

  /// Its card is never drawn again.
  mutating func stick() {
    flags.insert(.isStuck)
    guard details.isStored else { return }
    details[0].drawn = details[0].content
    details[0].measure()
  }

  /// The phone needs the room.
  mutating func forgetContent() {
    guard details.isStored else { return }
    details[0].attributes = .none
    details[0].content = .none
    details[0].drawn = .none
    details[0].measure()
  }

  mutating func ask() { phase = .prompting }
  mutating func allow() { phase = .running }
  mutating func schedule() { phase = .scheduled }
  mutating func commence() { phase = .running }
  mutating func awaitToken() { flags.remove(.hasToken) }
  mutating func receiveToken() { flags.insert(.hasToken) }

  /// An update is applied: whatever it does not say is forgotten, the stale date included. Assumed for the stale date.
  ///
  /// - Returns: whether it is drawn at once.
  mutating func apply(
    _ said: ActivityReading, _ request: HTTPRequest, timestamp: Double, alerts: Bool, spacing: Int64,
    at now: Instant
  ) -> Bool {
    details.store()
    details[0].lastTimestamp = timestamp
    details[0].staleDate = said.staleDate
    details[0].relevance = said.relevance
    return show(.push(request), alerts: alerts, spacing: spacing, at: now)
  }

  /// Its app updates it.
  mutating func apply(_ order: UpdateOrder, spacing: Int64, at now: Instant) -> Bool {
    // One without a timestamp is of now, which is no leave for a push older than what was applied before.
    let timestamp = order.timestamp ?? Double(now.seconds)
    details.store()
    if timestamp > lastTimestamp {
      details[0].lastTimestamp = timestamp
      details[0].timestampPush = nil
    }
    details[0].staleDate = order.staleDate
    if let relevance = order.relevance { details[0].relevance = relevance }
    return show(.local(order.content), alerts: order.alerts, spacing: spacing, at: now)
  }

  private mutating func show(_ new: ActivityContent, alerts: Bool, spacing: Int64, at now: Instant) -> Bool {
    details.store()
    return details[0].show(
      new, startedAt: startedAt, isStuck: isStuck, alerts: alerts, spacing: spacing, at: now)
  }

  /// The last content before the end; without any the one before stays. Documented.
  mutating func conclude(_ said: ActivityReading, _ request: HTTPRequest, timestamp: Double, at now: Instant) {
    details.store()
    details[0].lastTimestamp = timestamp
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
    details.store()
    details[0].dismissal = min(max(requested ?? latest, now), latest)
    if isOnline { tellAPNs(habits, at: now) }
  }

  /// The user has swiped its card away, running or ended.
  package mutating func swipe(_ habits: Habits, isOnline: Bool, at now: Instant) {
    end(dismissing: now, habits, isOnline: isOnline, at: now)
    details[0].dismissal = now
  }

  /// The phone is back: what ended in the meantime becomes known.
  package mutating func tellAPNs(_ habits: Habits, at now: Instant) {
    guard endedAt != nil, !(details.isStored && details[0].notice != nil), let delay = habits.deadActivityNotice else {
      return
    }
    details.store()
    details[0].notice = now.advanced(by: delay)
    details[0].isNoticedAsExpired = habits.deadActivityReason == .expiredToken
  }
}
