import Timeline
import WireFormats

extension LiveActivity {
  /// What it has once something has been said of it: content, dates, a channel, an end.
  struct Details: DefaultInitializable, Hashable, Sendable {
    private(set) var updates = ActivityUpdates.token
    /// Nil for that of its start.
    private(set) var lastTimestamp: Double?
    private(set) var timestampPush: UInt64?
    @OneWordInstant private(set) var appliedAt: Instant?
    @OneWordInstant private(set) var staleDate: Instant?
    @OneWordInstant private(set) var staleCheck: Instant?
    private(set) var relevance: Double = 0
    /// What started it, and so its attributes.
    private(set) var attributes = ActivityContent.none
    /// Its content state: the truth, drawn or not.
    private(set) var content = ActivityContent.none
    /// What the card shows while it waits to be drawn anew.
    private(set) var drawn = ActivityContent.none
    /// Nil until it was drawn for the second time, or waits for that.
    private(set) var rendering: RenderSpacing?
    /// Bytes of its attributes as compact JSON.
    private(set) var attributesSize: UInt32 = 0
    /// Bytes that attributes and contents are charged with.
    private(set) var memory: UInt32 = 0
    /// When its card leaves the Lock Screen; known once it has ended.
    @OneWordInstant private(set) var dismissal: Instant?
    /// When APNs answers 410 for it; nil while it lives, or while nothing has told APNs.
    @OneWordInstant private(set) var notice: Instant?
    /// What APNs then says is `ExpiredToken`.
    private(set) var isNoticedAsExpired = false
  }

  /// What comes of a look whether the content is stale.
  enum StaleCheck: Hashable, Sendable {
    /// No look was due, or there is nothing to see.
    case nothing
    /// The date has been put off: the next look is then.
    case later(Instant)
    case stale
  }

  package var updates: ActivityUpdates { details.isStored ? details[0].updates : .token }
  /// The newest `aps.timestamp` applied, in seconds. Documented: the phone shows the latest state only.
  package var lastTimestamp: Double {
    (details.isStored ? details[0].lastTimestamp : nil) ?? Double(startedAt.seconds)
  }
  /// Number of the push that brought it; nil where no push did.
  var timestampPush: UInt64? { details.isStored ? details[0].timestampPush : nil }
  /// When its content came.
  package var appliedAt: Instant { (details.isStored ? details[0].appliedAt : nil) ?? startedAt }
  package var staleDate: Instant? { details.isStored ? details[0].staleDate : nil }
  package var relevance: Double { details.isStored ? details[0].relevance : 0 }
  package var attributes: ActivityContent { details.isStored ? details[0].attributes : .none }
  package var attributesSize: Int { details.isStored ? Int(details[0].attributesSize) : 0 }
  package var content: ActivityContent { details.isStored ? details[0].content : .none }
  var memory: UInt32 { details.isStored ? details[0].memory : 0 }
}

// MARK: - What is said of it

extension LiveActivity.Details {
  /// A push has started it.
  mutating func begin(_ payload: ActivityPayload, _ push: ArrivingPush, timestamp: Double, attributesSize: Int) {
    lastTimestamp = timestamp
    timestampPush = push.number
    staleDate = payload.staleDate
    relevance = payload.relevance
    attributes = .push(push.request)
    content = .push(push.request)
    self.attributesSize = UInt32(clamping: attributesSize)
    measure()
  }

  /// Its app has started it.
  mutating func begin(_ order: ActivityStartRequest, attributesSize: Int) {
    staleDate = order.staleDate
    relevance = order.relevance
    attributes = order.attributes.map { .local($0) } ?? .none
    content = order.content.map { .local($0) } ?? .none
    self.attributesSize = UInt32(clamping: attributesSize)
    measure()
  }

  mutating func listen(to updates: ActivityUpdates) { self.updates = updates }

  /// What an update says beside its content: whatever it does not say is forgotten.
  mutating func apply(_ parsed: ParsedActivityUpdate, timestamp: Double, push: UInt64) {
    lastTimestamp = timestamp
    timestampPush = push
    staleDate = parsed.staleDate
    relevance = parsed.relevance
  }

  /// The same of an update by the app, which need not be newer.
  mutating func apply(_ order: ActivityUpdateRequest, newest timestamp: Double?) {
    if let timestamp {
      lastTimestamp = timestamp
      timestampPush = nil
    }
    staleDate = order.staleDate
    if let relevance = order.relevance { self.relevance = relevance }
  }

  mutating func conclude(timestamp: Double, push: UInt64) {
    lastTimestamp = timestamp
    timestampPush = push
  }

  // MARK: - Its card

  /// New content was applied.
  ///
  /// - Parameters:
  ///   - startedAt: when the activity was drawn first.
  ///   - spacing: least time between two drawings, in nanoseconds.
  /// - Returns: whether it is drawn at once.
  mutating func show(
    _ new: ActivityContent, startedAt: Instant, isStuck: Bool, alerts: Bool, spacing: Int64, at now: Instant
  ) -> Bool {
    var rendering = rendering ?? RenderSpacing(drawnAt: startedAt)
    defer {
      self.rendering = rendering
      measure()
    }
    // What fell due since was drawn then.
    if let due = rendering.nextDue, due <= now { _ = rendering.wake(at: due) }
    let wasBehind = rendering.nextDue != nil
    let old = content
    content = new
    appliedAt = now
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

  /// What it shows now it shows for good.
  mutating func stick() {
    drawn = content
    measure()
  }

  mutating func forgetContent() {
    attributes = .none
    content = .none
    drawn = .none
    measure()
  }

  private mutating func measure() {
    memory = UInt32(clamping: attributes.memory + content.memory + drawn.memory)
  }

  // MARK: - Its stale date

  /// When the phone is to look whether the content is stale; nil where it need not, or looks already.
  mutating func watchStaleDate(at now: Instant) -> Instant? {
    guard let stale = staleDate else { return nil }
    if let check = staleCheck, check > now, check <= stale { return nil }
    let due = max(stale, now)
    staleCheck = due
    return due
  }

  mutating func moveStaleDate(by nanoseconds: Int64) {
    if let date = staleDate { staleDate = date.advanced(nanoseconds: nanoseconds) }
  }

  /// A look that was planned has come.
  mutating func goStale(isRunning: Bool, at due: Instant) -> LiveActivity.StaleCheck {
    // A look that was planned for this very instant comes a nanosecond later; one planned anew comes in its turn.
    guard let check = staleCheck, check <= due else { return .nothing }
    staleCheck = nil
    guard let stale = staleDate, isRunning else { return .nothing }
    guard stale > due else { return .stale }
    return watchStaleDate(at: due).map { .later($0) } ?? .nothing
  }

  // MARK: - Its end

  mutating func end(dismissal: Instant) { self.dismissal = dismissal }

  /// APNs comes to know of the end. Once: what it knows it knows.
  mutating func notify(at notice: Instant, asExpired: Bool) {
    self.notice = notice
    isNoticedAsExpired = asExpired
  }
}
