import Timeline

extension LiveActivity {
  /// What it has once something has been said of it: content, dates, a channel, an end.
  struct Details: DefaultInitializable, Hashable, Sendable {
    var updates = ActivityUpdates.token
    /// Nil for that of its start.
    var lastTimestamp: Double?
    var timestampPush: UInt64?
    @OneWordInstant var appliedAt: Instant?
    @OneWordInstant var staleDate: Instant?
    @OneWordInstant var staleCheck: Instant?
    var relevance: Double = 0
    /// What started it, and so its attributes.
    var attributes = ActivityContent.none
    /// Its content state: the truth, drawn or not.
    var content = ActivityContent.none
    /// What the card shows while it waits to be drawn anew.
    var drawn = ActivityContent.none
    /// Nil until it was drawn for the second time, or waits for that.
    var rendering: RenderSpacing?
    /// Bytes of its attributes as compact JSON.
    var attributesSize: UInt32 = 0
    /// Bytes that attributes and contents are charged with.
    var memory: UInt32 = 0
    /// When its card leaves the Lock Screen; known once it has ended.
    @OneWordInstant var dismissal: Instant?
    /// When APNs answers 410 for it; nil while it lives, or while nothing has told APNs.
    @OneWordInstant var notice: Instant?
    /// What APNs then says is `ExpiredToken`.
    var isNoticedAsExpired = false

    mutating func measure() { memory = UInt32(clamping: attributes.memory + content.memory + drawn.memory) }
  }

  package internal(set) var updates: ActivityUpdates {
    get { details.isStored ? details[0].updates : .token }
    set {
      guard details.isStored || newValue != .token else { return }
      details.store()
      details[0].updates = newValue
    }
  }

  /// The newest `aps.timestamp` applied, in seconds. Documented: the phone shows the latest state only.
  package var lastTimestamp: Double {
    (details.isStored ? details[0].lastTimestamp : nil) ?? Double(startedAt.seconds)
  }
  /// Number of the push that brought it; nil where no push did.
  var timestampPush: UInt64? {
    get { details.isStored ? details[0].timestampPush : nil }
    set {
      details.store()
      details[0].timestampPush = newValue
    }
  }
  /// When its content came.
  package var appliedAt: Instant { (details.isStored ? details[0].appliedAt : nil) ?? startedAt }
  package var staleDate: Instant? { details.isStored ? details[0].staleDate : nil }
  /// When the phone looks next whether it is stale.
  var staleCheck: Instant? {
    get { details.isStored ? details[0].staleCheck : nil }
    set {
      details.store()
      details[0].staleCheck = newValue
    }
  }
  package var relevance: Double { details.isStored ? details[0].relevance : 0 }
  package var attributes: ActivityContent { details.isStored ? details[0].attributes : .none }
  package var attributesSize: Int { details.isStored ? Int(details[0].attributesSize) : 0 }
  package var content: ActivityContent { details.isStored ? details[0].content : .none }
  var memory: UInt32 { details.isStored ? details[0].memory : 0 }
}

extension LiveActivity.Details {
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
}
