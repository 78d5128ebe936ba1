import Timeline

/// What comes out of a phone beside the reaction to the push at hand: things that happened, fates of earlier pushes,
/// and what falls due later. Whoever asked the phone takes it away.
package struct PhoneNews: Sendable {
  package enum Item: Hashable, Sendable {
    case happened(Happening, app: Int?, at: Instant)
    /// A push that arrived earlier has met its fate.
    case settled(push: UInt64, Reaction, held: Reaction.Hold, at: Instant)
    case due(PhoneWork, Instant)
  }

  package var items: [Item] = []

  package init() {}

  mutating func tell(_ happening: Happening, app: Int? = nil, at now: Instant) {
    items.append(.happened(happening, app: app, at: now))
  }

  mutating func settle(_ held: HeldPush, _ reaction: Reaction, at now: Instant) {
    items.append(.settled(push: held.push.number, reaction, held: held.reason, at: now))
  }

  mutating func settle(_ push: UInt64, _ reaction: Reaction, held: Reaction.Hold, at now: Instant) {
    items.append(.settled(push: push, reaction, held: held, at: now))
  }

  mutating func plan(_ work: PhoneWork, due: Instant) { items.append(.due(work, due)) }
}
