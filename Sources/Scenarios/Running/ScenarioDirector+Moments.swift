import APNs
import Devices
import Simulation
import Timeline

/// The rest of a moment that is too long for one hold of the lock. The scenario's time stands until it is done.
///
/// Indirect, because a push step has more than a kilobyte, which would be copied a dozen times in each portion.
package indirect enum MomentRest: Sendable {
  case sending(VirtualProvider.Sending)
  case acting(DeviceAction, DeviceCursor, CommandOutcome)
  case evaluating(ExpectationSearch, at: Instant)
}

/// Steps and evaluations, in portions.
extension ScenarioDirector {
  /// Work of an evaluation in one portion, compared with checking one push: below a millisecond.
  private static let workAtOnce = 10_000
  /// Maximum number of devices that a step looks at in one portion.
  private static let mostLookedAt = 10_000
  /// Work of a refused action, compared with looking at a device.
  private static let refusal = 20

  /// Does the part of a moment that takes the same time whatever the size of the fleet.
  ///
  /// - Returns: the rest; nil if the moment is over.
  mutating func begin(_ moment: Moment, _ simulator: inout Simulator, at now: Now) -> MomentRest? {
    guard !moment.isExpectation else { return .evaluating(ExpectationSearch(explains: true), at: now.world) }
    let step = scenario.steps[moment.index]
    return step.action.begin(StepTurn(step: step, round: moment.round, now: now), in: &self, &simulator)
  }

  /// Does a portion of a moment's rest.
  ///
  /// - Returns: the rest after it; nil if the moment is over.
  mutating func resume(
    _ rest: consuming MomentRest, of moment: Moment, in simulator: inout Simulator, at now: Now
  ) -> MomentRest? {
    switch consume rest {
    case .sending(var sending):
      var work = Self.mostLookedAt
      if !provider.send(&sending, on: &simulator.world, at: now, most: simulator.eventsAtOnce, &work) {
        return .sending(sending)
      }
      if sending.sent == 0 {
        find(
          scenario.steps[moment.index], "it sent no push: none of the selected devices has such a token.",
          isFailure: false, ofAll: true)
      }
      return nil
    case .acting(let action, var devices, var total):
      guard act(action, on: &devices, total: &total, in: &simulator, at: now) else {
        return .acting(action, devices, total)
      }
      report(total, of: scenario.steps[moment.index])
      return nil
    case .evaluating(var search, let at):
      return evaluate(moment.index, with: &search, in: &simulator, at: at) ? nil : .evaluating(search, at: at)
    }
  }

  mutating func rememberStruck(_ service: FaultRegistry) {
    for active in service.active where active.isUsed { struck.insert(active.fault.name) }
  }

  mutating func order(_ command: Command, of turn: StepTurn, in simulator: inout Simulator) {
    do throws(CommandProblem) {
      try simulator.world.perform(command, at: turn.now)
    } catch {
      find(turn.step, error.sentence, isFailure: true)
    }
  }

  /// - Returns: true if the action was performed on all devices.
  private func act(
    _ action: DeviceAction, on devices: inout DeviceCursor, total: inout CommandOutcome,
    in simulator: inout Simulator, at now: Now
  ) -> Bool {
    var work = Self.mostLookedAt
    let most = simulator.world.eventCount + simulator.eventsAtOnce
    while simulator.world.eventCount < most, let device = devices.nextDevice(in: &simulator.world, &work) {
      do throws(CommandProblem) {
        try simulator.world.perform(.device(device, action), at: now)
        total.done += 1
      } catch {
        total.refused += 1
        total.firstRefusal = total.firstRefusal ?? (device, error.sentence)
        // A refusal is no event.
        work -= Self.refusal
      }
    }
    return devices.isAtEnd
  }

  private mutating func report(_ total: CommandOutcome, of step: Scenario.Step) {
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

  /// - Returns: true if there is a verdict.
  private mutating func evaluate(
    _ index: Int, with search: inout ExpectationSearch, in simulator: inout Simulator, at now: Instant
  ) -> Bool {
    guard var observer = simulator.readers.logs.observer else { return true }
    // Uniquely referenced, because otherwise all its counts would be copied.
    simulator.readers.logs.observer = nil
    var work = Self.workAtOnce
    let verdict = search.go(
      Evaluator(
        observer, index: index, world: simulator.world, pushLog: simulator.readers.logs.pushLog, at: now, passed: passed
      ),
      observer: observer, work: &work)
    if verdict != nil { observer.close(index) }
    simulator.readers.logs.observer = observer
    verdicts[index] = verdict
    return verdict != nil
  }
}
