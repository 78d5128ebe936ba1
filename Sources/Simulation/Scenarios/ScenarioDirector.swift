import APNs
import Devices
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

  private struct Moment: Sendable {
    let at: Duration
    /// Steps come before expectations, each in the order of the file.
    let isExpectation: Bool
    let index: Int
    let round: Int
  }

  package private(set) var scenario: Scenario
  private let pace: Pace
  /// Flags of the command that repeats the run.
  private let flags: [String]
  private let moments: [Moment]
  private var next = 0
  private var provider: VirtualProvider
  /// How far the time line has moved.
  package private(set) var passed = Duration.zero
  /// How far `clock` steps have put the world ahead of it.
  private var jumped = Duration.zero
  private var verdicts: [Scenario.Verdict?]
  var findings: [ScenarioReport.Finding] = []
  /// Names of faults that have struck and were then removed or replaced.
  private(set) var struck: Set<String> = []
  /// Reused for each batch.
  private var events: [WorldEvent] = []

  package init(_ scenario: Scenario, pace: Pace, flags: [String] = [], provider: VirtualProvider) {
    self.scenario = scenario
    self.pace = pace
    self.flags = flags
    self.provider = provider
    self.provider.remembers = scenario.steps.contains {
      if case .push(let order) = $0.stepAction { order.knowledge == .remembered } else { false }
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

  /// When the next step or evaluation is due; nil after the last one.
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

  /// The same, as far as is done in one go.
  ///
  /// - Returns: whether the target was reached.
  package mutating func moveSome(
    to target: Duration, _ simulator: inout Simulator, wall: Instant, show: ([WorldEvent]) -> Void
  ) -> Bool {
    guard catchUp(&simulator, wall, show) else { return false }
    guard next < moments.count, moments[next].at <= max(target, passed) else {
      if passed < target { pass(to: target, &simulator) } else { return true }
      return false
    }
    let moment = moments[next]
    guard moment.at <= passed else {
      pass(to: moment.at, &simulator)
      return false
    }
    next += 1
    if moment.isExpectation {
      evaluate(moment.index, simulator: &simulator, wall)
    } else {
      perform(moment.index, moment.round, &simulator, wall, show)
    }
    return false
  }

  /// Ends the run early: remaining expectations are not evaluated.
  package mutating func abandon(_ sentence: String) {
    findings.append(.init(place: scenario.file, at: passed, sentence: sentence, isFailure: true))
    next = moments.count
    for (index, expectation) in scenario.expectations.enumerated() where verdicts[index] == nil {
      var verdict = Scenario.Verdict(name: expectation.name, place: expectation.place, at: passed, passed: false)
      verdict.wanted = "to be evaluated at \(DurationText.write(expectation.at ?? scenario.length))"
      verdict.found = "the run ended before it could be"
      verdicts[index] = verdict
    }
  }

  /// The result so far.
  package func report(_ simulator: Simulator) -> ScenarioReport {
    let observer = simulator.readers.logs.observer
    return ScenarioReport(
      .init(scenario, pushes: observer?.pushes ?? 0, events: observer?.events ?? 0),
      verdicts: verdicts.compactMap(\.self), findings: findings + idleFaults(simulator.world.faults),
      from: .played(isLive: pace == .live, flags: flags))
  }

  private mutating func rememberStruck(_ service: FaultRegistry) {
    for armed in service.armed where armed.isUsed { struck.insert(armed.fault.name) }
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
  private mutating func catchUp(_ simulator: inout Simulator, _ wall: Instant, _ show: ([WorldEvent]) -> Void) -> Bool {
    let isThere: Bool
    if simulator.world.hasWaves {
      simulator.stepWaves(at: now(simulator, wall))
      isThere = false
    } else {
      isThere = pace == .live ? simulator.step(wall: wall) : simulator.step(to: now(simulator, wall))
    }
    settle(nil, &simulator, show)
    return isThere
  }

  private mutating func settle(_ step: Int?, _ simulator: inout Simulator, _ show: ([WorldEvent]) -> Void) {
    simulator.settle(into: &events, of: step)
    if !events.isEmpty { show(events) }
  }

  // MARK: - Steps

  private mutating func perform(
    _ index: Int, _ round: Int, _ simulator: inout Simulator, _ wall: Instant, _ show: ([WorldEvent]) -> Void
  ) {
    let now = now(simulator, wall)
    let step = scenario.steps[index]
    switch step.stepAction {
    case .fault, .deleteFault: rememberStruck(simulator.world.faults)
    default: break
    }
    switch step.stepAction {
    case .clock(let jump):
      jumped += jump
      if pace == .live { simulator.clock.advance(by: jump) }
    case .device(let device, _) where !simulator.world.fleet.owns(device): break
    case .register(.register(_, let device, _, _, _, _)) where !simulator.world.fleet.owns(device): break
    case .device(let device, let action):
      order(.device(device, provider.naming(action)), step, &simulator, at: now)
    case .channel(let order):
      if let why = provider.perform(order, round: round, on: &simulator.world, at: now) {
        find(step, why, isFailure: false)
      }
    case .fault(let fault): order(.setFault(fault.counted(from: now.world)), step, &simulator, at: now)
    case .register(let command): order(command, step, &simulator, at: now)
    case .deleteFault(let name): order(name.map { .deleteFault($0) } ?? .deleteAllFaults, step, &simulator, at: now)
    case .devices(let selection, let action):
      perform(provider.naming(action), selection, step, &simulator, at: now, show)
    case .push(let order):
      var events = self.events
      let sent = provider.send(order, round: round, on: &simulator, at: now) { simulator in
        simulator.settle(into: &events, of: index)
        show(events)
      }
      self.events = events
      if sent == 0 {
        find(step, "it sent no push: none of the selected devices has such a token.", isFailure: false, ofAll: true)
      }
    }
    settle(index, &simulator, show)
  }

  private mutating func order(_ command: Command, _ step: Scenario.Step, _ simulator: inout Simulator, at now: Now) {
    do throws(CommandProblem) {
      try simulator.world.perform(command, at: now)
    } catch {
      find(step, error.sentence, isFailure: true)
    }
  }

  private mutating func perform(
    _ action: DeviceAction, _ selection: Selection, _ step: Scenario.Step, _ simulator: inout Simulator, at now: Now,
    _ show: ([WorldEvent]) -> Void
  ) {
    var selection = selection
    var total = CommandOutcome()
    repeat {
      do throws(CommandProblem) {
        let outcome = try simulator.world.perform(.devices(selection, action), at: now)
        total.done += outcome.done
        total.refused += outcome.refused
        total.firstRefusal = total.firstRefusal ?? outcome.firstRefusal
        total.next = outcome.next
      } catch {
        return find(step, error.sentence, isFailure: true)
      }
      if let next = total.next { selection.start = next }
      settle(nil, &simulator, show)
    } while total.next != nil
    if total.done == 0 {
      let why = total.firstRefusal.map { "\($0.device.text): \($0.sentence)" } ?? "no device matches"
      find(
        step, "nothing was done: \(why)", isFailure: true, ofAll: true, hidesInCell: total.firstRefusal == nil)
    } else if let rejection = total.firstRefusal {
      find(
        step,
        "done on \(total.done) devices, refused on \(total.refused); the first was \(rejection.device.text): "
          + rejection.sentence, isFailure: false, counts: true)
    }
  }

  // MARK: - Expectations

  private mutating func evaluate(_ index: Int, simulator: inout Simulator, _ wall: Instant) {
    guard var observer = simulator.readers.logs.observer else { return }
    // Uniquely referenced, because otherwise all its counts would be copied.
    simulator.readers.logs.observer = nil
    let now = now(simulator, wall).world
    verdicts[index] = Evaluator(
      observer, index, simulator.world, simulator.readers.logs.pushLog, at: now, passed: passed
    )
    .verdict(observer)
    observer.close(index)
    simulator.readers.logs.observer = observer
  }
}
