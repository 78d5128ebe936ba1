import Devices
import Timeline

/// Plays a scenario in virtual time: goes from what is due to what is due, and never waits.
package struct ScenarioPlayer: Sendable {
  /// How far it has come.
  package struct Progress: Sendable {
    package let passed: Duration
    package let length: Duration
    package let pushes: UInt64
    package let events: UInt64
  }

  private struct Moment: Sendable {
    let at: Duration
    /// Steps before expectations, each in the order of the file.
    let isExpectation: Bool
    let index: Int
    let round: Int
  }

  private let scenario: Scenario
  private var stage: ScenarioStage
  private var provider: VirtualProvider
  /// How far `clock` steps have put the world ahead of the time line.
  private var jumped = Duration.zero
  private var verdicts: [Scenario.Verdict?]
  private var findings: [ScenarioReport.Finding] = []

  private init(_ scenario: Scenario) {
    self.scenario = scenario
    stage = ScenarioStage(scenario)
    provider = VirtualProvider(scenario.plan)
    verdicts = Array(repeating: nil, count: scenario.expectations.count)
  }

  /// Plays it to its end.
  ///
  /// - Parameter tape: takes every call at the world's doors, and what came of it.
  package static func play(
    _ scenario: Scenario, tape: (@Sendable (TapeBatch) -> Void)? = nil, _ progress: (Progress) -> Void = { _ in }
  ) -> ScenarioReport {
    var player = ScenarioPlayer(scenario)
    player.stage.station.record(tape)
    return player.play(progress)
  }

  private mutating func play(_ progress: (Progress) -> Void) -> ScenarioReport {
    for moment in moments() {
      stage.advance(to: now(moment.at))
      if moment.isExpectation {
        judge(moment.index, at: moment.at)
      } else {
        perform(moment.index, moment.round, at: moment.at)
      }
      progress(
        Progress(passed: moment.at, length: scenario.length, pushes: stage.watch.pushes, events: stage.watch.events))
    }
    return ScenarioReport(
      scenario, pushes: stage.watch.pushes, events: stage.watch.events, verdicts: verdicts.compactMap(\.self),
      findings: findings)
  }

  /// All moments in their order; the end comes last.
  private func moments() -> [Moment] {
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

  /// The world may be ahead of the time line; the machine on which the provider stamps its tokens is not.
  private func now(_ passed: Duration) -> Now {
    Now(world: scenario.begins.advanced(by: passed + jumped), wall: scenario.begins.advanced(by: passed))
  }

  // MARK: - Steps

  private mutating func perform(_ index: Int, _ round: Int, at passed: Duration) {
    let now = now(passed)
    let step = scenario.steps[index]
    switch step.deed {
    case .clock(let jump):
      jumped += jump
      stage.advance(to: self.now(passed))
    case .device(let device, let action):
      do throws(CommandProblem) {
        try stage.station.world.perform(.device(device, action), at: now)
      } catch {
        find(step, passed, error.sentence, isFailure: true)
      }
    case .fault(let fault): order(.setFault(fault.counted(from: now.world)), step, at: passed)
    case .heal(let name): order(name.map { .removeFault($0) } ?? .healAll, step, at: passed)
    case .devices(let selection, let action): perform(action, selection, step, at: passed)
    case .push(let order):
      let sent = provider.send(order, round: round, on: &stage, of: index, at: now)
      if sent == 0 {
        find(step, passed, "it had nobody to push to: no device that is meant has such a token.", isFailure: false)
      }
    }
    stage.settle(index)
  }

  private mutating func order(_ command: Command, _ step: Scenario.Step, at passed: Duration) {
    do throws(CommandProblem) {
      try stage.station.world.perform(command, at: now(passed))
    } catch {
      find(step, passed, error.sentence, isFailure: true)
    }
  }

  private mutating func perform(
    _ action: DeviceAction, _ selection: Selection, _ step: Scenario.Step, at passed: Duration
  ) {
    var selection = selection
    var total = CommandOutcome()
    repeat {
      do throws(CommandProblem) {
        let outcome = try stage.station.world.perform(.devices(selection, action), at: now(passed))
        total.done += outcome.done
        total.refused += outcome.refused
        total.firstRefusal = total.firstRefusal ?? outcome.firstRefusal
        total.next = outcome.next
      } catch {
        return find(step, passed, error.sentence, isFailure: true)
      }
      if let next = total.next { selection.start = next }
      stage.settle(nil)
    } while total.next != nil
    if total.done == 0 {
      let why = total.firstRefusal.map { "\($0.device.text): \($0.sentence)" } ?? "no device is meant by it"
      find(step, passed, "nothing was done: \(why)", isFailure: true)
    } else if let refusal = total.firstRefusal {
      find(
        step, passed,
        "done on \(total.done) devices, refused on \(total.refused); the first was \(refusal.device.text): "
          + refusal.sentence, isFailure: false)
    }
  }

  private mutating func find(_ step: Scenario.Step, _ at: Duration, _ sentence: String, isFailure: Bool) {
    findings.append(.init(place: step.place, at: at, sentence: sentence, isFailure: isFailure))
  }

  // MARK: - Expectations

  private mutating func judge(_ index: Int, at passed: Duration) {
    let judge = Judge(scenario, index, stage.station, at: now(passed).world, passed: passed)
    verdicts[index] = judge.verdict(&stage.watch)
  }
}
