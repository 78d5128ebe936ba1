import APNs
import Timeline
import WireFormats

/// A Live Activity on an install. Only the methods below change it.
///
///     scheduled ──its date──▶ active ──stale date──▶ stale ──update──▶ active
///                               ▲ allow                │ end, eight hours, user, system
///     prompting ────────────────┘                      ▼
///         └──deny, swipe──▶ dismissed ◀──dismissal── ended: frozen on the Lock Screen, gone from the Dynamic Island
///
/// Documented: `ActivityState`. Stale and dismissed are computed from the dates, so a state cannot contradict the
/// clock.
package struct LiveActivity: Hashable, Sendable {
  package enum Origin: String, CaseIterable, Hashable, Sendable {
    /// Was running when the world began.
    case fleet
    case push
    /// Started by its app.
    case command
  }

  /// Documented: what an app sees as `activityState`. `prompting` is a card with an unanswered Allow question.
  package enum State: String, CaseIterable, Hashable, Sendable {
    case scheduled
    case prompting
    case active
    case stale
    case ended
    case dismissed
  }

  private struct Flags: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let isTransient = Flags(rawValue: 1)
    static let hasToken = Flags(rawValue: 2)
    static let isLeaked = Flags(rawValue: 4)
    static let isStuck = Flags(rawValue: 8)
  }

  // Fields are ordered to avoid padding: a fleet may have millions of activities.
  package private(set) var token = TokenState()
  package let origin: Origin
  private var flags = Flags.hasToken
  private(set) var phase = Phase.running(isAskedAgain: false)
  private let typeNumber: UInt16
  /// Number among the activities of its install.
  package let number: UInt32
  private(set) var budget = UpdateBudget()
  /// The time at which the activity began, or will begin.
  package let startedAt: Instant
  /// The time at which the activity ends at the latest, together with its token.
  package let expiry: Instant
  private(set) var details: OutOfLine<Details> = []

  package init(number: UInt32, type: Int, startedAt: Instant, origin: Origin, life: Duration) {
    expiry = startedAt.advanced(by: life)
    self.number = number
    typeNumber = UInt16(clamping: type)
    self.startedAt = startedAt
    self.origin = origin
  }

  /// Index of its attributes type in the app's profile.
  package var type: Int { Int(typeNumber) }
  /// Ends by itself when the phone is locked (iOS 18). Documented: `ActivityStyle.transient`.
  package var isTransient: Bool { flags.contains(.isTransient) }
  /// True if APNs has issued its update token.
  package var hasToken: Bool { flags.contains(.hasToken) }
  /// True if it still counts towards the limits although it has ended, until the phone is rebooted.
  var isLeaked: Bool { flags.contains(.isLeaked) }
  /// True if its card is never drawn again.
  var isStuck: Bool { flags.contains(.isStuck) }

  package var endedAt: Instant? { phase.endedAt }
  var hasEnded: Bool { if case .ended = phase { true } else { false } }
  /// True if it has ended or expired.
  package func isOver(at now: Instant) -> Bool { hasEnded || expiry <= now }
  /// True if it can be updated: it has begun, is allowed and has not ended.
  package func isRunning(at now: Instant) -> Bool { phase.isRunning && expiry > now }
  package var isPrompting: Bool { phase == .prompting }
  /// True if pushes can update the activity: it runs, or it waits only for Allow, which broadcasts do not need.
  // Inlined: a call from a function that changes the activity would copy it.
  @inline(__always)
  func acceptsPushes(_ policy: PromptPolicy, at now: Instant) -> Bool {
    if isRunning(at: now) { return true }
    guard isPrompting, expiry > now, !policy.holdsBroadcasts, case .channel = updates else { return false }
    return true
  }
  /// True if its card shows the Allow question.
  package var hasQuestion: Bool { isPrompting || phase.isAskedAgain }

  // MARK: - Start

  /// A push started it. APNs issues its token later.
  mutating func begin(
    _ payload: ActivityPayload, push: ArrivingPush, timestamp: Double, attributesSize: Int, updates: ActivityUpdates
  ) {
    details.store()
    details[0].begin(payload, push, timestamp: timestamp, attributesSize: attributesSize)
    details[0].listen(to: updates)
    flags.remove(.hasToken)
  }

  /// The app started the activity. APNs issues its token later.
  mutating func begin(_ order: ActivityStartRequest, attributesSize: Int, _ updates: ActivityUpdates) {
    if order.staleDate != nil || order.relevance != 0 || order.attributes != nil || order.content != nil {
      details.store()
      details[0].begin(order, attributesSize: attributesSize)
    }
    listen(to: updates)
    flags.set(.isTransient, order.isTransient)
    flags.remove(.hasToken)
  }

  /// Sets how it is updated from outside.
  mutating func listen(to updates: ActivityUpdates) {
    guard details.isStored || updates != .token else { return }
    details.store()
    details[0].listen(to: updates)
  }

  /// Schedules it for its date.
  mutating func schedule() { phase.schedule() }

  /// The date of a scheduled activity has come. False if the activity is not scheduled.
  mutating func commence(at now: Instant) -> Bool {
    guard !isOver(at: now) else { return false }
    return phase.commence()
  }

  // MARK: - The Allow question

  mutating func ask() { phase.ask() }
  mutating func askAgain() { phase.askAgain() }

  mutating func answer(allowed: Bool, at now: Instant) -> Answer {
    guard !isOver(at: now) else { return .notAsked }
    return phase.answer(allowed: allowed)
  }

  // MARK: - The token

  /// APNs has issued its token. False if it gets none, or not yet.
  mutating func receiveToken(at now: Instant) -> Bool {
    guard !hasToken, !isOver(at: now), updates == .token, !isPrompting else { return false }
    flags.insert(.hasToken)
    return true
  }

  /// - Parameter notice: when APNs learns that the old one is dead.
  package mutating func rotateToken(notice: Instant?) { token.rotate(notice: notice) }

  mutating func changeToken<Result>(_ change: (inout TokenState) -> Result) -> Result { change(&token) }

  /// Counts one request to its token; false if it exceeds the rate limit.
  mutating func admit(_ limit: RequestRate, at now: Instant) -> Bool { token.admit(limit, at: now) }

  mutating func charge(
    _ priority: Priority, level: BudgetLevel, in condition: DeviceCondition, plan: UpdateBudgetPlan,
    at now: Instant
  ) -> UpdateBudget.Charge {
    budget.charge(priority, level: level, in: condition, plan: plan, at: now)
  }

  mutating func chargeEnd(
    level: BudgetLevel, in condition: DeviceCondition, plan: UpdateBudgetPlan, at now: Instant
  ) -> UpdateBudget.Charge {
    budget.chargeEnd(level: level, in: condition, plan: plan, at: now)
  }

  // MARK: - The content

  /// Applies an update. Members that it omits are reset, including the stale date. Assumed for the stale date.
  ///
  /// - Returns: whether it is drawn at once.
  mutating func apply(
    _ parsed: ParsedActivityUpdate, _ push: ArrivingPush, timestamp: Double, alerts: Bool, spacing: Int64,
    at now: Instant
  ) -> Bool {
    details.store()
    details[0].apply(parsed, timestamp: timestamp, push: push.number)
    return show(.push(push.request), alerts: alerts, spacing: spacing, at: now)
  }

  /// Applies an update by the app.
  mutating func apply(_ order: ActivityUpdateRequest, spacing: Int64, at now: Instant) -> Bool {
    // An update without a timestamp counts as now. That does not allow pushes older than what was applied before.
    let timestamp = order.timestamp ?? Double(now.seconds)
    let isNewest = order.timestamp == nil ? timestamp > lastTimestamp : isNewer(timestamp)
    details.store()
    details[0].apply(order, newest: isNewest ? timestamp : nil)
    return show(.local(order.content), alerts: order.alerts, spacing: spacing, at: now)
  }

  /// Sets the last content before the end; if it is nil, the current content stays. Documented.
  mutating func conclude(_ parsed: ParsedActivityUpdate, _ push: ArrivingPush, timestamp: Double, at now: Instant) {
    details.store()
    details[0].conclude(timestamp: timestamp, push: push.number)
    // An end is drawn at once. Assumed.
    if parsed.hasContent { _ = show(.push(push.request), alerts: true, spacing: 0, at: now) }
  }

  mutating func conclude(_ content: JSONValue, at now: Instant) {
    _ = show(.local(content), alerts: true, spacing: 0, at: now)
  }

  private mutating func show(_ new: ActivityContent, alerts: Bool, spacing: Int64, at now: Instant) -> Bool {
    details.store()
    return details[0].show(
      new, startedAt: startedAt, isStuck: isStuck, alerts: alerts, spacing: spacing, at: now)
  }

  /// The card is never drawn again.
  mutating func stick() {
    flags.insert(.isStuck)
    if details.isStored { details[0].stick() }
  }

  /// The time at which the phone must check whether the content is stale; nil if no check is needed or one is planned.
  mutating func watchStaleDate(at now: Instant) -> Instant? {
    details.isStored ? details[0].watchStaleDate(at: now) : nil
  }

  /// Checks whether its content is stale.
  mutating func goStale(at due: Instant) -> StaleCheck {
    guard details.isStored else { return .nothing }
    return details[0].goStale(isRunning: isRunning(at: due), at: due)
  }

  /// Shifts the stale date: the phone's clock was changed, or is not right.
  mutating func moveStaleDate(by nanoseconds: Int64) {
    if nanoseconds != 0, details.isStored { details[0].moveStaleDate(by: nanoseconds) }
  }

  /// Shifts the dismissal date after the phone's clock was changed, but not into the past.
  ///
  /// - Returns: the new date; nil if the activity has no dismissal date in the future.
  mutating func moveDismissal(by nanoseconds: Int64, _ policy: DevicePolicy, at now: Instant) -> Instant? {
    guard hasEnded, details.isStored, dismissal(policy) > now else { return nil }
    let moved = max(dismissal(policy).advanced(nanoseconds: nanoseconds), now)
    details[0].end(dismissal: moved)
    return moved
  }

  /// Drops its content because the phone needs the memory.
  mutating func forgetContent() {
    if details.isStored { details[0].forgetContent() }
  }

  // MARK: - The end

  /// Ends it. A second end has no effect.
  ///
  /// - Parameters:
  ///   - requested: when the card should leave the Lock Screen; nil for the default.
  ///   - isOnline: only a phone with a connection can tell APNs.
  /// - Returns: when its card leaves the Lock Screen.
  @discardableResult
  package mutating func end(
    dismissing requested: Instant? = nil, _ policy: DevicePolicy, isOnline: Bool, at now: Instant
  ) -> Instant {
    // An activity that has not begun leaves no card.
    let requested = phase == .scheduled ? now : requested
    // An activity that has run out ended at its expiry, although its phone may notice that only now.
    guard phase.end(at: min(now, expiry)) else { return dismissal(policy) }
    // Documented: a date that is not in the future dismisses at once; a date after more than four hours is limited to
    // that.
    let latest = now < expiry ? now.advanced(by: policy.linger) : expiry.advanced(by: policy.expiredLinger)
    let dismissal = min(max(requested ?? latest, now), latest)
    details.store()
    details[0].end(dismissal: dismissal)
    if isOnline { reportToAPNs(policy, at: now) }
    return dismissal
  }

  /// Removes the card, running or ended: the person swiped it away, or its app was deleted.
  package mutating func dismiss(_ policy: DevicePolicy, isOnline: Bool, at now: Instant) {
    end(dismissing: now, policy, isOnline: isOnline, at: now)
    details[0].end(dismissal: now)
  }

  /// The phone is online again: APNs learns which activities ended in the meantime.
  package mutating func reportToAPNs(_ policy: DevicePolicy, at now: Instant) {
    guard hasEnded, details[0].notice == nil, let delay = policy.deadActivityNotice else { return }
    details[0].notify(at: now.advanced(by: delay), asExpired: policy.deadActivityReason == .expiredToken)
  }

  /// The app was force-quit, and the activity counts towards the limits until the phone is rebooted.
  mutating func leak(at now: Instant) {
    guard !isOver(at: now) else { return }
    flags.insert(.isLeaked)
  }

  /// A reboot ends the leak.
  mutating func stopLeaking() { flags.remove(.isLeaked) }
}
