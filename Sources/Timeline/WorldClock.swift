/// Tells the world's time from the machine's: running with it, ahead of it, or standing until told to move.
///
/// It never goes back: a phone's day cannot be undone, and a tape could not say what that means.
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
    case running(ahead: Duration)
    case standing(Instant)
  }

  /// Longest single step: a year. A step beyond is a slip of the keyboard.
  package static let longestStep: Duration = .seconds(366 * 24 * 3600)

  private var state = State.running(ahead: .zero)
  /// Whether provider tokens, too, are judged by the world's time: for a backend that is told what time it is.
  package var rulesTokens = false

  package init() {}

  package var mode: Mode {
    switch state {
    case .running(let ahead): ahead == .zero ? .wall : .offset
    case .standing: .manual
    }
  }

  package func now(wall: Instant) -> Now {
    switch state {
    case .running(let ahead): now(wall.advanced(by: ahead), wall)
    case .standing(let instant): now(instant, wall)
    }
  }

  private func now(_ world: Instant, _ wall: Instant) -> Now { Now(world: world, wall: rulesTokens ? world : wall) }

  /// How far the world is ahead of the machine.
  package func ahead(wall: Instant) -> Duration { wall.duration(to: now(wall: wall).world) }

  /// - Precondition: `step` is not negative.
  package mutating func advance(by step: Duration) {
    precondition(step >= .zero, "time does not go back")
    switch state {
    case .running(let ahead): state = .running(ahead: ahead + step)
    case .standing(let instant): state = .standing(instant.advanced(by: step))
    }
  }

  /// Stops the clock where it is.
  package mutating func stand(wall: Instant) { state = .standing(now(wall: wall).world) }

  /// Stops the clock at another instant, before anything has happened.
  package mutating func stand(at instant: Instant) { state = .standing(instant) }

  /// Lets the clock run on from where it is.
  package mutating func run(wall: Instant) {
    let ahead = ahead(wall: wall)
    // Standing behind the machine's time, it catches up: the world's clock may jump ahead but not back.
    state = .running(ahead: max(ahead, .zero))
  }
}
