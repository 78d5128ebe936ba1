import Timeline

/// Deferred pushes: the newest of each key, and when it is released.
///
///     absent ──hold──▶ held ──hold──▶ held: the newer takes its place, the older is coalesced
///                       ├──due, or flush of a low priority──▶ absent
///                       ├──expires while APNs has it──▶ absent
///                       └──withdraw──▶ absent
///
/// A push that waits because of its low priority is still with APNs: without a connection it can only expire. All
/// other deferred pushes are on the device.
///
/// A newer push inherits the release time of the one it replaces; otherwise a steady stream would never be released.
/// Assumed: the newest is the last to arrive; timestamps are compared when an update is applied.
struct DeferredPushes: Hashable, Sendable {
  enum Holding: Hashable, Sendable {
    case held(until: Instant)
    /// The older push will not be delivered; its cause is `coalesced`.
    case coalesced(DeferredPush, until: Instant)
    /// The limit is reached: deliver it now.
    case noRoom
  }

  /// A deferred push, as stored and as released.
  struct Release: Hashable, Sendable {
    let key: DeferralKey
    fileprivate(set) var push: DeferredPush
    /// The time at which the push is or was due.
    fileprivate(set) var due: Instant

    init(key: DeferralKey, push: DeferredPush, due: Instant) {
      self.key = key
      self.push = push
      self.due = due
    }

    /// The time at which the push leaves: it is due, or it expires.
    fileprivate func leaves(isOnline: Bool) -> Instant {
      guard push.reason == .lowPriority else { return due }
      return isOnline ? min(due, push.expires) : push.expires
    }
  }

  /// Maximum number of keys with deferred pushes on one device; a phone has far fewer activities.
  static let most = 256

  /// In the order in which the keys were first deferred.
  private var slots: [Release] = []

  var count: Int { slots.count }

  /// The time at which the next push leaves; nil if none does before the device is connected.
  func nextDue(isOnline: Bool = true) -> Instant? {
    var earliest = Instant.distantFuture
    for index in slots.indices { earliest = min(earliest, slots[index].leaves(isOnline: isOnline)) }
    return earliest == .distantFuture ? nil : earliest
  }

  /// All deferred pushes, in the order in which the keys were first deferred.
  var all: [(key: DeferralKey, push: DeferredPush)] { slots.map { ($0.key, $0.push) } }

  /// The deferred push of a key.
  subscript(key: DeferralKey) -> DeferredPush? { place(of: key).map { slots[$0].push } }

  // By index, so that no slot is copied.
  private func place(of key: DeferralKey) -> Int? {
    for index in slots.indices where slots[index].key == key { return index }
    return nil
  }

  /// Defers a push, replacing an older one of the same key.
  ///
  /// If the two differ in being of low priority, the earlier of the two times is used, and the newer decides whether a
  /// flush releases it.
  mutating func hold(_ push: DeferredPush, of key: DeferralKey, for delay: Duration, at now: Instant) -> Holding {
    let due = now.advanced(by: max(delay, .zero))
    guard let index = place(of: key) else {
      guard slots.count < Self.most else { return .noRoom }
      slots.append(Release(key: key, push: push, due: due))
      return .held(until: due)
    }
    var older = push
    swap(&slots[index].push, &older)
    if (older.reason == .lowPriority) != (push.reason == .lowPriority) {
      slots[index].due = min(slots[index].due, due)
    }
    return .coalesced(older, until: slots[index].due)
  }

  /// Takes out the earliest push that is due or has expired.
  mutating func takeDue(by now: Instant, isOnline: Bool = true) -> Release? {
    var earliest: Int?
    for index in slots.indices where slots[index].leaves(isOnline: isOnline) <= now {
      // Of two pushes due at the same time, the one deferred first comes first.
      if let best = earliest, slots[best].due <= slots[index].due { continue }
      earliest = index
    }
    guard let earliest else { return nil }
    // Most phones defer one push at a time, and its removal moves nothing.
    return earliest == slots.count - 1 ? slots.popLast() : slots.remove(at: earliest)
  }

  /// The device is awake: all pushes of low priority are due. Take them with `takeDue`.
  mutating func makeDue(_ cause: LowPriorityPlan.FlushCause, _ plan: LowPriorityPlan, at now: Instant) {
    guard plan.flushes.contains(cause) else { return }
    for index in slots.indices where slots[index].push.reason == .lowPriority {
      slots[index].due = min(slots[index].due, now)
    }
  }

  /// Takes out the deferred push of a key: its activity has ended, or a newer push was delivered.
  mutating func withdraw(_ key: DeferralKey) -> DeferredPush? {
    place(of: key).map { slots.remove(at: $0).push }
  }
}
