import APNs
import Devices
import Simulation
import Timeline

/// Plays a scenario in a world that others may use as well: moves the time line from one due moment to the next,
/// performs steps, and evaluates expectations. The player decides how fast.
package struct ScenarioDirector: Sendable {
  /// Which clock providers use.
  package enum Pace: Sendable {
    /// Without waiting; the clock with which the provider stamps its tokens follows the time line.
    case virtual
    /// Along the machine's clock.
    case live
  }

  struct Moment: Sendable {
    let at: Duration
    /// Steps come before expectations, each in the order of the file.
    let isExpectation: Bool
    let index: Int
    let round: Int
  }

  package private(set) var scenario: Scenario
  let pace: Pace
  /// Flags of the command that repeats the run.
  private let flags: [String]
  private let moments: [Moment]
  private var next = 0
  private var isAbandoned = false
  /// The rest of the moment that has begun.
  private var rest: MomentRest?
  var provider: VirtualProvider
  /// The time that has passed on the time line.
  package private(set) var passed = Duration.zero
  /// The time by which `clock` steps have put the world ahead of the time line.
  var jumped = Duration.zero
  var verdicts: [Verdict?]
  var findings: [ScenarioReport.Finding] = []
  /// Names of faults that have struck and were then removed or replaced.
  package internal(set) var struck: Set<String> = []
  /// The order of a step to the backend, which the player carries out before time goes on.
  var backendOrder: BackendStep.Order?
  /// Reused for each batch.
  private var events: [WorldEvent] = []

  package init(_ scenario: Scenario, pace: Pace, flags: [String] = [], provider: VirtualProvider) {
    self.scenario = scenario
    self.pace = pace
    self.flags = flags
    self.provider = provider
    self.provider.remembers = scenario.steps.contains {
      ($0.action as? PushStep)?.order.knowledge == .remembered
    }
    moments = Self.moments(scenario)
    verdicts = Array(repeating: nil, count: scenario.expectations.count)
  }

  /// The world begins when the player is ready.
  package mutating func begin(at now: Instant) { scenario.begins = now }

  /// The observer that the director needs.
  package static func observer(_ scenario: Scenario, began: Instant? = nil) -> Observer {
    Observer(
      scenario.expectations, steps: scenario.steps.map(\.name), channels: scenario.steps.map(\.createdChannel),
      apps: scenario.plan.apps.map(\.bundleID),
      began: began ?? scenario.begins)
  }

  /// True if a moment has begun that is not over.
  var isInMoment: Bool { rest != nil }

  /// The time of the next step or evaluation, from the beginning of the scenario; nil after the last one.
  package var due: Duration? { next < moments.count ? moments[next].at : nil }

  /// Moves the time line, with all steps and evaluations on the way.
  ///
  /// - Parameters:
  ///   - wall: this machine's time.
  ///   - show: receives the events, in batches.
  package mutating func move(
    to target: Duration, _ simulator: inout Simulator, wall: Instant, show: ([WorldEvent]) -> Void
  ) {
    while !moveSome(to: target, &simulator, wall: wall, show: show) {}
  }

  /// Moves the time line toward the target by one portion of work.
  ///
  /// - Returns: whether the target was reached.
  package mutating func moveSome(
    to target: Duration, _ simulator: inout Simulator, wall: Instant, show: ([WorldEvent]) -> Void
  ) -> Bool {
    guard rest != nil || catchUp(&simulator, wall: wall, show: show) else { return false }
    guard next < moments.count, moments[next].at <= max(target, passed) else {
      if passed < target { pass(to: target, &simulator) } else { return true }
      return false
    }
    let moment = moments[next]
    guard moment.at <= passed else {
      pass(to: moment.at, &simulator)
      return false
    }
    let now = now(simulator, wall)
    let begun = rest ?? begin(moment, &simulator, at: now)
    rest = nil
    rest = begun.flatMap { resume($0, of: moment, in: &simulator, at: now) }
    settle(moment.isExpectation ? nil : moment.index, in: &simulator, show: show)
    if rest == nil { next += 1 }
    return false
  }

  /// Sends again what is due, in virtual time.
  mutating func resend(with resender: inout Resender, in simulator: inout Simulator) {
    guard let due = resender.due, due <= passed else { return }
    let now = now(simulator, scenario.begins)
    resender.send(by: &provider, on: &simulator.world, at: now, passed: passed)
    resender.read(simulator.settle(), in: simulator.world, at: passed)
  }

  /// Takes what the last step has asked of the backend.
  package mutating func takeBackendOrder() -> BackendStep.Order? { backendOrder.take() }

  /// Ends the run early: remaining expectations are not evaluated.
  package mutating func abandon(_ sentence: String) {
    findings.append(.init(place: scenario.file, at: passed, sentence: sentence, isFailure: true))
    (next, rest) = (moments.count, nil)
    isAbandoned = true
    for (index, expectation) in scenario.expectations.enumerated() where verdicts[index] == nil {
      var verdict = Verdict(name: expectation.name, place: expectation.place, at: passed, passed: false)
      verdict.wanted = "to be evaluated at \(DurationText.write(expectation.at ?? scenario.length))"
      verdict.found = "the run ended before it could be"
      verdict.wasEvaluated = false
      verdicts[index] = verdict
    }
  }

  /// The result so far.
  package func report(_ simulator: Simulator) -> ScenarioReport {
    let observer = simulator.readers.logs.observer
    return ScenarioReport(
      .init(scenario, pushes: observer?.pushes ?? 0, events: observer?.events ?? 0),
      verdicts: verdicts.compactMap(\.self),
      // A fault may have had no time to strike in a run that was cut short.
      findings: findings
        + (isAbandoned
          ? [] : idleFaults(simulator.world.faults) + [idleRevocation(simulator.world)].compactMap(\.self)),
      from: .played(isLive: pace == .live, flags: flags))
  }

  /// All moments in order; the end comes last.
  private static func moments(_ scenario: Scenario) -> [Moment] {
    var all: [Moment] = []
    for (index, step) in scenario.steps.enumerated() {
      for round in 0..<step.times {
        all.append(Moment(at: step.moment(round), isExpectation: false, index: index, round: round + 1))
      }
    }
    for (index, expectation) in scenario.expectations.enumerated() {
      all.append(Moment(at: expectation.at ?? scenario.length, isExpectation: true, index: index, round: 1))
    }
    return all.enumerated().sorted { left, right in
      let (a, b) = (left.element, right.element)
      if a.at != b.at { return a.at < b.at }
      if a.isExpectation != b.isExpectation { return !a.isExpectation }
      return left.offset < right.offset
    }
    .map(\.element)
  }

  // MARK: - Time

  private func now(_ simulator: Simulator, _ wall: Instant) -> Now {
    switch pace {
    case .virtual:
      let world = scenario.begins.advanced(by: passed + jumped)
      return Now(world: min(world, WorldClock.end), wall: scenario.begins.advanced(by: passed))
    case .live: return simulator.clock.target(wall: wall)
    }
  }

  /// The time line has moved; the world follows.
  private mutating func pass(to target: Duration, _ simulator: inout Simulator) {
    if pace == .live, simulator.clock.mode == .manual { simulator.clock.advance(by: target - passed) }
    passed = target
  }

  /// Processes what is due, as much as is done in one go.
  private mutating func catchUp(_ simulator: inout Simulator, wall: Instant, show: ([WorldEvent]) -> Void) -> Bool {
    let isThere: Bool
    if simulator.world.hasWaves {
      simulator.stepWaves(at: now(simulator, wall))
      isThere = false
    } else {
      isThere = pace == .live ? simulator.step(wall: wall) : simulator.step(to: now(simulator, wall))
    }
    settle(nil, in: &simulator, show: show)
    return isThere
  }

  private mutating func settle(_ step: Int?, in simulator: inout Simulator, show: ([WorldEvent]) -> Void) {
    simulator.settle(into: &events, of: step)
    if !events.isEmpty { show(events) }
  }
}
