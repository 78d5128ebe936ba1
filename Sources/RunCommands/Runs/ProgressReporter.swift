import Scenarios
import Simulation
import Timeline

/// Reports the progress of a scenario from time to time.
package struct ProgressReporter: Sendable {
  private let first: Duration
  private let every: Duration
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let say: @Sendable (String) -> Void

  /// - Parameters:
  ///   - first: a shorter run reports nothing.
  ///   - every: time between two lines.
  package init(
    first: Duration, every: Duration,
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
    say: @escaping @Sendable (String) -> Void
  ) {
    self.first = first
    self.every = every
    self.clock = clock
    self.say = say
  }

  /// A reporter for one scenario, which begins now.
  ///
  /// - Parameter speed: scenario seconds per real second; nil if unknown.
  package func start(_ name: String, seed: UInt64, speed: Double?) -> (ScenarioPlayer.Progress) -> Void {
    var next = clock().advanced(by: first)
    return { [self] progress in
      let now = clock()
      guard now >= next else { return }
      next = now.advanced(by: every)
      var line =
        "\(name), seed \(seed): \(DurationText.write(Self.rounded(progress.passed))) of"
        + " \(DurationText.write(progress.length)), \(progress.pushes) pushes"
      if let speed {
        let left = Self.rounded((progress.length - progress.passed) / speed)
        line += "; about \(DurationText.write(left)) to go"
      }
      say(line)
    }
  }

  /// Rounded to the second.
  private static func rounded(_ duration: Duration) -> Duration { .seconds(duration.wholeNanoseconds / 1_000_000_000) }
}
