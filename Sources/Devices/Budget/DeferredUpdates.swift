import Timeline

/// Deferred updates: the newest for each token, and when it is released.
///
///     absent ──hold──▶ held ──hold──▶ held: the newer takes its place, the older is coalesced
///                       ├──due, or flush of a low priority──▶ absent
///                       ├──expires while APNs has it──▶ absent
///                       └──withdraw──▶ absent
///
/// An update that waits because of its low priority is still with APNs: without a connection it can only expire. All
/// other deferred updates are on the device.
///
/// A newer update inherits the release time of the one it replaces; otherwise a steady stream would never be released.
/// Assumed: the newest is the last to arrive; timestamps are compared when an update is applied.
package struct DeferredUpdates<Token: Hashable & Sendable, Held: Sendable>: Sendable {
  package enum Reason: Hashable, Sendable {
    /// Waits until it suits the device.
    case lowPriority
    /// Arrived when the budget was spent; a flush does not release it.
    case budgetSpent
  }

  package enum Holding: Sendable {
    case held(until: Instant)
    /// The older update will not be delivered; its cause is `coalesced`.
    case coalesced(Held, until: Instant)
    /// The limit is reached: deliver it now.
    case noRoom
  }

  /// A deferred update, as stored and as released.
  package struct Release: Sendable {
    package let token: Token
    package fileprivate(set) var update: Held
    package fileprivate(set) var reason: Reason
    /// When it is or was due.
    package fileprivate(set) var due: Instant
    /// Until when APNs keeps it.
    package fileprivate(set) var expires: Instant

    package init(token: Token, update: Held, reason: Reason, due: Instant, expires: Instant = .distantFuture) {
      self.token = token
      self.update = update
      self.reason = reason
      self.due = due
      self.expires = expires
    }

    /// When it leaves: it is due, or it expires.
    fileprivate func leaves(isOnline: Bool) -> Instant {
      guard reason == .lowPriority else { return due }
      return isOnline ? min(due, expires) : expires
    }
  }

  /// Maximum number of tokens with deferred updates on one device; a phone has far fewer activities.
  package static var most: Int { 256 }

  /// In the order in which the tokens were first deferred.
  private var slots: [Release] = []

  package init() {}

  package var count: Int { slots.count }

  /// When the next update leaves; nil if none does before the device is connected.
  package func nextDue(isOnline: Bool = true) -> Instant? {
    var earliest = Instant.distantFuture
    for index in slots.indices { earliest = min(earliest, slots[index].leaves(isOnline: isOnline)) }
    return earliest == .distantFuture ? nil : earliest
  }

  /// A sum over all deferred updates, reading them in place.
  func sum(_ measure: (Held) -> Int) -> Int {
    var sum = 0
    for index in slots.indices { sum += measure(slots[index].update) }
    return sum
  }

  /// All deferred updates, in the order in which the tokens were first deferred.
  package var all: [(token: Token, update: Held)] { slots.map { ($0.token, $0.update) } }

  /// The deferred update of a token.
  package subscript(token: Token) -> Held? { place(of: token).map { slots[$0].update } }

  // By index, so that no slot is copied.
  private func place(of token: Token) -> Int? {
    for index in slots.indices where slots[index].token == token { return index }
    return nil
  }

  /// Defers an update, replacing an older one for the same token.
  ///
  /// If the two reasons differ, the earlier of the two times is used, and the newer reason decides whether a flush
  /// releases it.
  ///
  /// - Parameter expires: until when APNs keeps it, if it waits for its low priority.
  package mutating func hold(
    _ update: Held, of token: Token, because reason: Reason, for delay: Duration,
    until expires: Instant = .distantFuture, at now: Instant
  ) -> Holding {
    let due = now.advanced(by: max(delay, .zero))
    guard let index = place(of: token) else {
      guard slots.count < Self.most else { return .noRoom }
      slots.append(Release(token: token, update: update, reason: reason, due: due, expires: expires))
      return .held(until: due)
    }
    var older = update
    swap(&slots[index].update, &older)
    if slots[index].reason != reason { slots[index].due = min(slots[index].due, due) }
    slots[index].reason = reason
    slots[index].expires = expires
    return .coalesced(older, until: slots[index].due)
  }

  /// The earliest update that is due or has expired, or nil.
  package mutating func takeDue(by now: Instant, isOnline: Bool = true) -> Release? {
    var earliest: Int?
    for index in slots.indices where slots[index].leaves(isOnline: isOnline) <= now {
      // Of two updates due at the same time, the one deferred first comes first.
      if let best = earliest, slots[best].due <= slots[index].due { continue }
      earliest = index
    }
    guard let earliest else { return nil }
    // Most phones defer one update at a time, and its removal moves nothing.
    return earliest == slots.count - 1 ? slots.popLast() : slots.remove(at: earliest)
  }

  /// The device is awake: returns all updates of low priority, together with all that are due, in that order.
  package mutating func flush(
    _ cause: LowPriorityPlan.FlushCause, _ plan: LowPriorityPlan, at now: Instant
  ) -> [Release] {
    makeDue(cause, plan, at: now)
    var released: [Release] = []
    while let next = takeDue(by: now) { released.append(next) }
    return released
  }

  /// The device is awake: all updates of low priority are due. Take them with `takeDue`.
  mutating func makeDue(_ cause: LowPriorityPlan.FlushCause, _ plan: LowPriorityPlan, at now: Instant) {
    guard plan.flushes.contains(cause) else { return }
    for index in slots.indices where slots[index].reason == .lowPriority {
      slots[index].due = min(slots[index].due, now)
    }
  }

  /// Drops the deferred update of a token: its activity has ended, or a newer update was delivered.
  package mutating func withdraw(_ token: Token) -> Held? {
    place(of: token).map { slots.remove(at: $0).update }
  }
}

extension DeferredUpdates: Equatable where Held: Equatable {}
extension DeferredUpdates: Hashable where Held: Hashable {}
extension DeferredUpdates.Holding: Equatable where Held: Equatable {}
extension DeferredUpdates.Holding: Hashable where Held: Hashable {}
extension DeferredUpdates.Release: Equatable where Held: Equatable {}
extension DeferredUpdates.Release: Hashable where Held: Hashable {}
