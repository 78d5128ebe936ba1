import Grammar
import Scenarios
import Simulation
import Timeline

/// The length of a scenario. No step and no expectation is later than it allows.
struct ScenarioTimes {
  /// The latest time at which a step may be done.
  private let end: Duration
  /// The length of the quiet period after the end, in which every fault is removed, and where that is written.
  private let quiet: (length: Duration, place: String)?

  init(
    _ fields: Fields, steps: [Scenario.Step], expectations: [Expectation]
  ) throws(InputProblem) {
    let length = try fields.duration("for")
    quiet = try Self.quiet(fields)
    let needed = max(
      steps.map(\.last).max() ?? .zero, expectations.compactMap { $0.at ?? $0.window?.upperBound }.max() ?? .zero)
    // By default: a minute for the effects of the last step.
    end = length ?? needed + .seconds(60)
    for step in steps where step.last > end {
      throw InputProblem(
        step.place,
        "this step is \(step.times > 1 ? "last done" : "done") at \(DurationText.write(step.last)), after the end of"
          + " the scenario at \(DurationText.write(end)) (for:).")
    }
    for expectation in expectations {
      guard let at = expectation.at, at > whole else { continue }
      throw InputProblem(
        expectation.place,
        "this can never be evaluated: it is due at \(DurationText.write(at)), and the scenario ends at"
          + " \(DurationText.write(whole)) (\(quiet == nil ? "for:" : "for: and quiet:")).")
    }
  }

  /// The length with the quiet time at its end.
  var whole: Duration { end + (quiet?.length ?? .zero) }

  /// The step that begins the quiet time, if there is one.
  var quietStep: [Scenario.Step] {
    guard let quiet else { return [] }
    return [
      Scenario.Step(
        place: quiet.place, first: end, words: "quiet: all faults are deleted", action: DeleteFaultStep(name: nil))
    ]
  }

  /// Rejects a scenario that lasts longer than the world's clock can.
  func checkEnd(from begins: Instant, _ steps: [Scenario.Step], in name: String) throws(InputProblem) {
    let jumps = steps.reduce(Duration.zero) { sum, step in
      sum + ((step.action as? ClockStep)?.jump ?? .zero) * step.times
    }
    guard begins.advanced(by: whole + jumps) <= WorldClock.end else {
      throw InputProblem(
        name,
        "the scenario begins at \(begins.rfc3339), lasts \(DurationText.write(whole)) and moves the clock by"
          + " \(DurationText.write(jumps)): that is after \(WorldClock.end.rfc3339), where the world's clock ends.")
    }
  }

  private static func quiet(_ fields: Fields) throws(InputProblem) -> (length: Duration, place: String)? {
    guard let length = try fields.duration("quiet") else { return nil }
    guard length > .zero else {
      throw fields.problem("quiet", "quiet must be the time without steps and faults at the end, such as 2m.")
    }
    return (length, fields.place("quiet"))
  }
}
