/// Derives the world's time from the machine's time: equal, ahead of it, or stopped until it is advanced.
///
/// The world's time never goes back, whatever the machine's clock does, because a phone's past cannot be undone. It
/// stops at `end`.
///
/// A long advance is done in steps. Until the last step, `target` is where the clock is going and `now` is how far the
/// world has come.
package struct WorldClock: Hashable, Sendable {
  package enum Mode: String, CaseIterable, Hashable, Sendable {
    /// Follows the machine's time. Ahead of it only if that was set back.
    case wall
    /// Runs at the machine's speed, ahead of it.
    case offset
    /// Stopped until it is advanced.
    case manual

    /// The modes that an order can set. `offset` only results from an advance.
    package static let ordered: [Mode] = [.wall, .manual]
  }

  private enum State: Hashable, Sendable {
    /// Nanoseconds ahead of the machine's clock, without those by which that was set back.
    case running(ahead: Int64)
    case standing(Instant)
  }

  /// The longest single advance: a year. Anything longer is probably a typing error.
  package static let longestStep: Duration = .seconds(366 * 24 * 3600)
  /// 2200-01-01T00:00:00Z. Instants reach to 2262, which leaves room for everything that is scheduled from here.
  package static let end = Instant(seconds: 7_258_118_400)
  /// Nanoseconds. A machine clock set back by less than this is being adjusted; by more, it was wrong before.
  private static let adjustment: Int64 = 1_000_000_000

  private var state = State.running(ahead: 0)
  /// Nanoseconds by which the machine's clock was set back while the world's clock was running.
  private var setBack: Int64 = 0
  /// The latest time at which anything has happened.
  package private(set) var reached = Instant.distantPast
  /// True if the world has not yet reached `target`.
  package private(set) var isBehind = false
  /// True if provider tokens are checked against the world's time too, for a backend that follows the world's clock.
  package var rulesTokens = false

  package init() {}

  package var mode: Mode {
    switch state {
    case .running(let ahead): ahead == 0 ? .wall : .offset
    case .standing: .manual
    }
  }

  package func now(wall: Instant) -> Now { isBehind ? now(reached, wall) : target(wall: wall) }

  /// The time that the world should have reached by now.
  package func target(wall: Instant) -> Now {
    let time =
      switch state {
      case .running(let ahead): wall.advanced(nanoseconds: ahead).advanced(nanoseconds: setBack)
      case .standing(let instant): instant
      }
    return now(min(max(time, reached), Self.end), wall)
  }

  private func now(_ world: Instant, _ wall: Instant) -> Now { Now(world: world, wall: rulesTokens ? world : wall) }

  /// The machine time at which the world's time will be `instant`; nil while the world's clock is stopped before it.
  package func wall(at instant: Instant, wall: Instant) -> Instant? {
    guard case .running = state, instant <= Self.end else { return nil }
    return wall.advanced(by: target(wall: wall).world.duration(to: instant))
  }

  /// The time by which the world is ahead of the machine.
  package func ahead(wall: Instant) -> Duration { wall.duration(to: now(wall: wall).world) }

  /// Records that the world has reached `instant`.
  ///
  /// - Parameter isBehind: whether work is left before the world reaches its target.
  package mutating func reach(_ instant: Instant, isBehind: Bool) {
    reached = max(reached, instant)
    self.isBehind = isBehind
  }

  /// Reads the machine's clock. If it was set back, the world's time continues from where it is, in the same mode.
  ///
  /// - Returns: by how much the world's time is ahead of it for that reason; nil if it was not set back now.
  @discardableResult
  package mutating func follow(wall: Instant) -> Duration? {
    guard case .running(let ahead) = state else { return nil }
    let time = wall.advanced(nanoseconds: ahead).advanced(nanoseconds: setBack)
    // Fast path: time has moved forward. This runs for every push.
    guard time < reached.advanced(nanoseconds: -Self.adjustment) else { return nil }
    setBack = wall.advanced(nanoseconds: ahead).duration(to: reached).wholeNanoseconds
    return .nanoseconds(setBack)
  }

  /// - Precondition: `step` is not negative.
  package mutating func advance(by step: Duration) {
    precondition(step >= .zero, "time does not go back")
    switch state {
    case .running(let ahead):
      let (sum, overflow) = ahead.addingReportingOverflow(step.wholeNanoseconds)
      state = .running(ahead: overflow ? .max : sum)
    case .standing(let instant): state = .standing(instant.advanced(by: step))
    }
  }

  /// Stops the clock where it is.
  package mutating func stand(wall: Instant) { stand(at: now(wall: wall).world) }

  /// Stops the clock at the given instant, before anything has happened.
  package mutating func stand(at instant: Instant) {
    state = .standing(instant)
    setBack = 0
  }

  /// Lets the clock run from where it stands.
  package mutating func run(wall: Instant) {
    guard case .standing = state else { return }
    // If the world's time is behind the machine's time, it jumps ahead to it; it never goes back.
    state = .running(ahead: max(ahead(wall: wall).wholeNanoseconds, 0))
  }
}
