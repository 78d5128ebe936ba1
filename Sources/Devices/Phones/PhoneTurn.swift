import Timeline

/// A call of a phone: its behavior, the time, and the effects that the call has.
///
/// The caller keeps one value for all calls of all phones, so that a push allocates nothing for it.
package struct PhoneTurn: Sendable {
  package private(set) var behavior: PhoneBehavior
  package private(set) var now: Instant
  package var effects = PhoneEffects()

  package init(_ behavior: PhoneBehavior, at now: Instant) {
    self.behavior = behavior
    self.now = now
  }

  /// Begins the next call, possibly of another phone. Effects that nobody has taken stay.
  package mutating func begin(_ behavior: PhoneBehavior, at now: Instant) {
    if self.behavior !== behavior { self.behavior = behavior }
    self.now = now
  }

  mutating func emit(_ deviceEvent: DeviceEvent, app: Int? = nil) {
    effects.items.append(.happened(deviceEvent, app: app, at: now))
  }

  /// True if this event has been emitted at this time and not been taken yet.
  func hasEmitted(_ deviceEvent: DeviceEvent, app: Int) -> Bool {
    effects.items.contains(.happened(deviceEvent, app: app, at: now))
  }

  /// Records the final fate of a deferred push.
  mutating func settle(_ held: DeferredPush, _ reaction: Reaction) {
    settle(held.push.key, reaction, held: held.reason)
  }

  /// - Parameter push: key of the push.
  mutating func settle(_ push: UInt64, _ reaction: Reaction, held: Reaction.Hold) {
    effects.items.append(.settled(push: push, reaction, held: held, at: now))
  }

  mutating func plan(_ work: PhoneWork, due: Instant) { effects.items.append(.due(work, due)) }
  mutating func plan(_ work: PhoneWork, after delay: Duration) { plan(work, due: now.advanced(by: delay)) }

  mutating func countDrawing() { effects.counts.drawings += 1 }
  mutating func countLate() { effects.counts.late += 1 }
  mutating func countWake(_ launch: Launch) { effects.counts.countWake(launch) }
  mutating func countHold(_ hold: Reaction.Hold) { effects.counts.countHold(hold) }
}
