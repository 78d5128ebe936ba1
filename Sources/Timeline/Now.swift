/// What time it is when something arrives at an entry point of the world.
///
/// Two clocks, because a test may hurry the one and never the other: phones, activities and lifetimes follow the
/// world's clock; a provider token is stamped by a real client with real time, and is judged by the wall clock.
package struct Now: Hashable, Sendable {
  /// The simulated time: phones, tokens and everything due.
  package let world: Instant
  /// The time of this machine: provider tokens and what is measured by arrival.
  package let wall: Instant

  package init(world: Instant, wall: Instant) {
    self.world = world
    self.wall = wall
  }

  /// Both clocks agree.
  package init(_ instant: Instant) { self.init(world: instant, wall: instant) }
}
