import Timeline

/// Updates that a phone holds back: the newest for each token, and when it is let go.
///
///     absent ──hold──▶ held ──hold──▶ held: the newer takes its place, the older is coalesced
///                       ├──due, or flush of a low priority──▶ absent
///                       └──withdraw──▶ absent
///
/// A newer update inherits the time of the one it replaces, or a steady stream would never be let go. Assumed: newest
/// is the last to arrive; timestamps are compared when an update is applied.
package struct DeferredUpdates<Token: Hashable & Sendable, Held: Sendable>: Sendable {
  package enum Reason: Hashable, Sendable {
    /// Waits for the device to find it convenient.
    case lowPriority
    /// Came when the budget was spent; no flush brings it in.
    case budgetSpent
  }

  package enum Holding: Sendable {
    case held(until: Instant)
    /// The older update is not going to be delivered: its cause is `coalesced`.
    case coalesced(Held, until: Instant)
    /// Too much is held already: deliver it now.
    case noRoom
  }

  /// What is held, and what is let go: the same, so that nothing is taken apart on the way.
  package struct Release: Sendable {
    package let token: Token
    package fileprivate(set) var update: Held
    package fileprivate(set) var reason: Reason
    /// When its time comes, or had come.
    package fileprivate(set) var due: Instant

    package init(token: Token, update: Held, reason: Reason, due: Instant) {
      self.token = token
      self.update = update
      self.reason = reason
      self.due = due
    }
  }

  /// Tokens that one device holds updates for; a phone has far fewer activities.
  package static var most: Int { 256 }

  /// In the order in which tokens were first held.
  private var slots: [Release] = []

  package init() {}

  package var count: Int { slots.count }
  package var nextDue: Instant? {
    var earliest: Instant?
    for index in slots.indices { earliest = min(earliest ?? slots[index].due, slots[index].due) }
    return earliest
  }

  /// A sum over all that is held, each looked at where it lies.
  func sum(_ measure: (Held) -> Int) -> Int {
    var sum = 0
    for index in slots.indices { sum += measure(slots[index].update) }
    return sum
  }

  /// All that is held, in the order in which the tokens were first held.
  package var all: [(token: Token, update: Held)] { slots.map { ($0.token, $0.update) } }

  /// The update held for a token.
  package subscript(token: Token) -> Held? { place(of: token).map { slots[$0].update } }

  // By index, so that no slot is copied on the way.
  private func place(of token: Token) -> Int? {
    for index in slots.indices where slots[index].token == token { return index }
    return nil
  }

  /// Holds an update in place of an older one for its token.
  ///
  /// Where the reasons differ, the earlier of the two times holds and the newer's reason decides about a flush.
  package mutating func hold(
    _ update: Held, of token: Token, because reason: Reason, for delay: Duration, at now: Instant
  ) -> Holding {
    let due = now.advanced(by: max(delay, .zero))
    guard let index = place(of: token) else {
      guard slots.count < Self.most else { return .noRoom }
      slots.append(Release(token: token, update: update, reason: reason, due: due))
      return .held(until: due)
    }
    var older = update
    swap(&slots[index].update, &older)
    if slots[index].reason != reason { slots[index].due = min(slots[index].due, due) }
    slots[index].reason = reason
    return .coalesced(older, until: slots[index].due)
  }

  /// The earliest update whose time has come, or nil.
  package mutating func takeDue(by now: Instant) -> Release? {
    var earliest: Int?
    for index in slots.indices where slots[index].due <= now {
      // Of two due at once, the one first held goes first.
      if let best = earliest, slots[best].due <= slots[index].due { continue }
      earliest = index
    }
    guard let earliest else { return nil }
    return slots.remove(at: earliest)
  }

  /// The device is awake anyway: all of low priority is due, and is returned with whatever else is, in that order.
  package mutating func flush(
    _ cause: LowPriorityPlan.FlushCause, _ plan: LowPriorityPlan, at now: Instant
  ) -> [Release] {
    if plan.flushes.contains(cause) {
      for index in slots.indices where slots[index].reason == .lowPriority {
        slots[index].due = min(slots[index].due, now)
      }
    }
    var released: [Release] = []
    while let next = takeDue(by: now) { released.append(next) }
    return released
  }

  /// Gives up what is held for a token: its activity is over, or something newer has got through.
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
