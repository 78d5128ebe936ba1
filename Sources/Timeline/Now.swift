/// The current time when an input reaches the world.
///
/// There are two clocks because a test may speed up only one of them. Phones, activities and lifetimes follow the
/// world's clock. Provider tokens are stamped by a real client in real time, so they are checked against the wall
/// clock.
package struct Now: Hashable, Sendable {
  /// Simulated time: for phones, tokens and all scheduled work.
  package let world: Instant
  /// The time of this machine: for provider tokens and for everything measured by arrival.
  package let wall: Instant

  package init(world: Instant, wall: Instant) {
    self.world = world
    self.wall = wall
  }

  /// Both clocks show the same time.
  package init(_ instant: Instant) { self.init(world: instant, wall: instant) }
}
