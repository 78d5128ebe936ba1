/// Tells the world's time from the machine's: running with it, ahead of it, or standing until told to move.
///
/// It never goes back, whatever the machine's clock does: a phone's day cannot be undone. And it ends at `end`.
///
/// A long way is gone in steps. Until the last of them the clock has a `target`, and `now` is how far the world is.
package struct WorldClock: Hashable, Sendable {
  package enum Mode: String, CaseIterable, Hashable, Sendable {
    /// The machine's time.
    case wall
    /// Runs like the machine's, ahead of it.
    case offset
    /// Stands still until it is advanced.
    case manual
  }

  private enum State: Hashable, Sendable {
    /// Nanoseconds.
    case running(ahead: Int64)
    case standing(Instant)
  }

  /// Longest single step: a year. A step beyond is a slip of the keyboard.
  package static let longestStep: Duration = .seconds(366 * 24 * 3600)
  /// 2200-01-01T00:00:00Z. Instants reach to 2262; between lies room for all that is planned from there.
  package static let end = Instant(seconds: 7_258_118_400)
  /// Nanoseconds. A machine's clock that is set back by more was wrong before; by less, it is being adjusted.
  private static let adjustment: Int64 = 1_000_000_000

  private var state = State.running(ahead: 0)
  /// Latest time at which anything has happened.
  package private(set) var reached = Instant.distantPast
  /// Whether the world has yet to come as far as `target`.
  package private(set) var isBehind = false
  /// Whether provider tokens, too, are judged by the world's time: for a backend that is told what time it is.
  package var rulesTokens = false

  package init() {}

  package var mode: Mode {
    switch state {
    case .running(let ahead): ahead == 0 ? .wall : .offset
    case .standing: .manual
    }
  }

  package func now(wall: Instant) -> Now { isBehind ? now(reached, wall) : target(wall: wall) }

  /// Where the world is to be by now.
  package func target(wall: Instant) -> Now {
    let time =
      switch state {
      case .running(let ahead): wall.advanced(nanoseconds: ahead)
      case .standing(let instant): instant
      }
    return now(min(max(time, reached), Self.end), wall)
  }

  private func now(_ world: Instant, _ wall: Instant) -> Now { Now(world: world, wall: rulesTokens ? world : wall) }

  /// When the machine's clock will say so late that the world's says `instant`; nil while that never comes by itself.
  package func wall(at instant: Instant, wall: Instant) -> Instant? {
    guard case .running = state, instant <= Self.end else { return nil }
    return wall.advanced(by: target(wall: wall).world.duration(to: instant))
  }

  /// How far the world is ahead of the machine.
  package func ahead(wall: Instant) -> Duration { wall.duration(to: now(wall: wall).world) }

  /// The world has come so far.
  ///
  /// - Parameter isBehind: whether something is left to do before it is at its target.
  package mutating func reach(_ instant: Instant, isBehind: Bool) {
    reached = max(reached, instant)
    self.isBehind = isBehind
  }

  /// Looks at the machine's clock. Where that was set back, the world goes on from where it is.
  package mutating func follow(wall: Instant) {
    guard case .running(let ahead) = state else { return }
    let time = wall.advanced(nanoseconds: ahead)
    // Most of the time it is later, and this is asked for every push.
    guard time < reached.advanced(nanoseconds: -Self.adjustment) else { return }
    state = .running(ahead: wall.duration(to: reached).wholeNanoseconds)
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
  package mutating func stand(wall: Instant) { state = .standing(now(wall: wall).world) }

  /// Stops the clock at another instant, before anything has happened.
  package mutating func stand(at instant: Instant) { state = .standing(instant) }

  /// Lets the clock run on from where it is.
  package mutating func run(wall: Instant) {
    // Standing behind the machine's time, it catches up: the world's clock may jump ahead but not back.
    state = .running(ahead: max(ahead(wall: wall).wholeNanoseconds, 0))
  }
}
