import APNs
import Timeline

/// What comes out of a phone beside the reaction to the push at hand: things that happened, fates of earlier pushes,
/// and what falls due later. Whoever asked the phone takes it away.
package struct PhoneEffects: Sendable {
  package enum Item: Hashable, Sendable {
    case happened(DeviceEvent, app: Int?, at: Instant)
    /// A push that arrived earlier has met its fate.
    case settled(push: UInt64, Reaction, held: Reaction.Hold, at: Instant)
    case due(PhoneWork, Instant)
  }

  package var items: [Item] = []
  /// Of all that whoever holds this has asked phones; nobody takes it away.
  package var counts = PhoneCounts()

  package init() {}

  mutating func emit(_ deviceEvent: DeviceEvent, app: Int? = nil, at now: Instant) {
    items.append(.happened(deviceEvent, app: app, at: now))
  }

  mutating func settle(_ held: DeferredPush, _ reaction: Reaction, at now: Instant) {
    items.append(.settled(push: held.push.number, reaction, held: held.reason, at: now))
  }

  mutating func settle(_ push: UInt64, _ reaction: Reaction, held: Reaction.Hold, at now: Instant) {
    items.append(.settled(push: push, reaction, held: held, at: now))
  }

  mutating func plan(_ work: PhoneWork, due: Instant) { items.append(.due(work, due)) }
}

/// What falls due on a phone by itself. Each looks at the phone when its time has come, and may find nothing to do.
package enum PhoneWork: Hashable, Sendable {
  /// Updates or notifications were held back until now.
  case release
  case activityBegins(app: Int, UInt32)
  case activityGoesStale(app: Int, UInt32)
  case activityRunsOut(app: Int, UInt32)
  case activityDismisses(app: Int, UInt32)
  /// The person answers the question under a card.
  case promptAnswered(app: Int, UInt32)
  /// The person taps a notification.
  case tap(app: Int, UInt32)
  case tokenArrives(app: Int, UInt32)
  /// The app is woken because of an activity that a push has started.
  case appWakes(app: Int, UInt32)
  /// Background runtime is over.
  case runtimeEnds(app: Int)
  case tokenRotates(app: Int, TokenSlot)
  /// A background push that was held may wake the app.
  case backgroundPush(app: Int)
  /// One that waits for power or a switch is given up.
  case backgroundExpires(app: Int, push: UInt64)
}
