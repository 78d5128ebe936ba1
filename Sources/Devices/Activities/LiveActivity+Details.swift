import Timeline
import WireFormats

extension LiveActivity {
  /// State that most activities never need: content, dates, a channel, an end.
  struct Details: DefaultInitializable, Hashable, Sendable {
    private(set) var updates = ActivityUpdates.token
    /// Nil for the second of its start.
    private(set) var lastTimestamp: Double?
    private(set) var timestampPush: UInt64?
    @OneWordInstant private(set) var appliedAt: Instant?
    @OneWordInstant private(set) var staleDate: Instant?
    @OneWordInstant private(set) var staleCheck: Instant?
    private(set) var relevance: Double = 0
    /// Content of the start, which includes the attributes.
    private(set) var attributes = ActivityContent.none
    /// The newest content state, drawn or not.
    private(set) var content = ActivityContent.none
    /// Content that the card shows until it is drawn again.
    private(set) var drawn = ActivityContent.none
    /// Nil until it is drawn a second time, or waits for that.
    private(set) var rendering: RenderSpacing?
    /// Size of its attributes as compact JSON, in bytes.
    private(set) var attributesSize: UInt32 = 0
    /// Memory charged for attributes and contents, in bytes.
    private(set) var memory: UInt32 = 0
    /// The time at which the card leaves the Lock Screen; set when the activity has ended.
    @OneWordInstant private(set) var dismissal: Instant?
    /// The time from which APNs answers 410 for the token; nil while the activity runs, or if APNs was not told.
    @OneWordInstant private(set) var notice: Instant?
    /// True if that 410 says `ExpiredToken`.
    private(set) var isNoticedAsExpired = false
    /// True if a push or the app contained `lastTimestamp`; false if it is the second of a change without a timestamp.
    private(set) var isTimestampGiven = false
  }

  /// The result of checking whether the content is stale.
  enum StaleCheck: Hashable, Sendable {
    /// No check was due, or there is no card.
    case nothing
    /// The stale date was moved: check again then.
    case later(Instant)
    case stale
  }

  package var updates: ActivityUpdates { details.isStored ? details[0].updates : .token }
  /// The newest `aps.timestamp` applied, in seconds. Documented: the phone shows the latest state only.
  package var lastTimestamp: Double {
    // Not `??`, whose right side would capture a copy of the activity.
    if details.isStored, let timestamp = details[0].lastTimestamp { return timestamp }
    return Double(startedAt.seconds)
  }

  /// True if content with that timestamp is newer than the applied content.
  ///
  /// Observed: of two pushes with equal timestamps the second is ignored. Assumed: a start or an update by the app,
  /// which has no timestamp, does not block others of its second.
  // Inlined: a call from a function that changes the activity would copy it.
  @inline(__always)
  func isNewer(_ timestamp: Double) -> Bool {
    timestamp > lastTimestamp || timestamp == lastTimestamp && !(details.isStored && details[0].isTimestampGiven)
  }

  /// Number of the push with the newest timestamp; nil if it did not come by push.
  var timestampPush: UInt64? { details.isStored ? details[0].timestampPush : nil }
  /// Arrival of the newest content.
  package var appliedAt: Instant { (details.isStored ? details[0].appliedAt : nil) ?? startedAt }
  package var staleDate: Instant? { details.isStored ? details[0].staleDate : nil }
  package var relevance: Double { details.isStored ? details[0].relevance : 0 }
  package var attributes: ActivityContent { details.isStored ? details[0].attributes : .none }
  package var attributesSize: Int { details.isStored ? Int(details[0].attributesSize) : 0 }
  package var content: ActivityContent { details.isStored ? details[0].content : .none }
  var memory: UInt32 { details.isStored ? details[0].memory : 0 }
}

// MARK: - Applying content

extension LiveActivity.Details {
  /// A push started it.
  mutating func begin(_ payload: ActivityPayload, _ push: ArrivingPush, timestamp: Double, attributesSize: Int) {
    note(timestamp, of: push.number)
    staleDate = payload.staleDate
    relevance = payload.relevance
    attributes = .push(push.request)
    content = .push(push.request)
    self.attributesSize = UInt32(clamping: attributesSize)
    measure()
  }

  /// Begins after a start by its app.
  mutating func begin(_ order: ActivityStartRequest, attributesSize: Int) {
    staleDate = order.staleDate
    relevance = order.relevance
    attributes = order.attributes.map { .local($0) } ?? .none
    content = order.content.map { .local($0) } ?? .none
    self.attributesSize = UInt32(clamping: attributesSize)
    measure()
  }

  mutating func listen(to updates: ActivityUpdates) { self.updates = updates }

  private mutating func note(_ timestamp: Double, of push: UInt64?, isGiven: Bool = true) {
    lastTimestamp = timestamp
    timestampPush = push
    isTimestampGiven = isGiven
  }

  /// Applies everything in an update except its content. Members that the update omits are reset.
  mutating func apply(_ parsed: ParsedActivityUpdate, timestamp: Double, push: UInt64) {
    note(timestamp, of: push)
    staleDate = parsed.staleDate
    relevance = parsed.relevance
  }

  /// Applies an update by the app except its content; the timestamp need not be newer.
  mutating func apply(_ order: ActivityUpdateRequest, newest timestamp: Double?) {
    if let timestamp { note(timestamp, of: nil, isGiven: order.timestamp != nil) }
    staleDate = order.staleDate
    if let relevance = order.relevance { self.relevance = relevance }
  }

  mutating func conclude(timestamp: Double, push: UInt64) {
    note(timestamp, of: push)
  }

  // MARK: - The card

  /// New content was applied.
  ///
  /// - Parameters:
  ///   - startedAt: when the activity was first drawn.
  ///   - spacing: minimum time between two drawings, in nanoseconds.
  /// - Returns: true if the card is drawn at once.
  mutating func show(
    _ new: ActivityContent, startedAt: Instant, isStuck: Bool, alerts: Bool, spacing: Int64, at now: Instant
  ) -> Bool {
    var rendering = rendering ?? RenderSpacing(drawnAt: startedAt)
    defer {
      self.rendering = rendering
      measure()
    }
    // Content that fell due in the meantime was drawn then.
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

  /// The card keeps what it shows now.
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

  // MARK: - The stale date

  /// The time at which the phone must check whether the content is stale; nil if no check is needed or one is planned.
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

  /// A planned check is due.
  mutating func goStale(isRunning: Bool, at due: Instant) -> LiveActivity.StaleCheck {
    // `Schedule.add` moves work for the current instant by one nanosecond, so `check` may be earlier than `due`.
    guard let check = staleCheck, check <= due else { return .nothing }
    staleCheck = nil
    guard let stale = staleDate, isRunning else { return .nothing }
    guard stale > due else { return .stale }
    return watchStaleDate(at: due).map { .later($0) } ?? .nothing
  }

  // MARK: - The end

  mutating func end(dismissal: Instant) { self.dismissal = dismissal }

  /// APNs learns of the end. Only the first call has an effect.
  mutating func notify(at notice: Instant, asExpired: Bool) {
    self.notice = notice
    isNoticedAsExpired = asExpired
  }
}
