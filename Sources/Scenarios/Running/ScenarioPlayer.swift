import Simulation
import Timeline

/// Plays a scenario in virtual time, without waiting.
package struct ScenarioPlayer: Sendable {
  /// The progress of a run.
  package struct Progress: Sendable {
    package let passed: Duration
    package let length: Duration
    package let pushes: UInt64
    package let events: UInt64

    /// The part of the length that has passed, in percent, rounded down.
    package var percent: Int { length > .zero ? Int(100 * (passed / length)) : 100 }

    package init(_ director: ScenarioDirector, _ simulator: Simulator) {
      passed = director.passed
      length = director.scenario.length
      pushes = simulator.readers.logs.observer?.pushes ?? 0
      events = simulator.readers.logs.observer?.events ?? 0
    }

    private init(passed: Duration, length: Duration, pushes: UInt64, events: UInt64) {
      (self.passed, self.length, self.pushes, self.events) = (passed, length, pushes, events)
    }

    /// The progress of a divided scenario: its parts are played together or one after the other.
    ///
    /// - Parameter begun: the progress of each part that has begun; at least one.
    package static func all(_ begun: [Progress], parts: Int) -> Progress {
      Progress(
        passed: begun.reduce(.zero) { $0 + $1.passed } / parts, length: begun[0].length,
        pushes: begun.reduce(0) { $0 + $1.pushes }, events: begun.reduce(0) { $0 + $1.events })
    }
  }

  /// A new simulator for a scenario.
  ///
  /// - Parameters:
  ///   - reports: whether its numbers are counted for a report; then it is audited, too.
  ///   - audits: whether the mistakes of backends are found.
  package static func simulator(_ scenario: Scenario, reports: Bool = false, audits: Bool = false) -> Simulator {
    let world = World(
      scenario.plan, rulebook: scenario.rulebook, channels: scenario.channels,
      keyRing: VirtualProvider.keyRing(scenario.plan), at: scenario.begins)
    var clock = WorldClock()
    clock.stand(at: scenario.begins)
    var simulator = Simulator(
      world: world, clock: clock, pushLogCapacity: scenario.pushLogEntries, audits: reports || audits)
    if reports { simulator.readers.logs.tally = RunTally() }
    simulator.readers.logs.observer = ScenarioDirector.observer(scenario)
    return simulator
  }

  /// Plays the scenario to its end.
  ///
  /// - Parameters:
  ///   - flags: flags of the command that repeats the run.
  ///   - tape: receives every call at the world's entry points, with its events.
  ///   - counted: receives what readers have at the end, with the numbers for a report; nil if none is wanted.
  package static func play(
    _ scenario: Scenario, flags: [String] = [], tape: (@Sendable (TapeBatch) -> Void)? = nil,
    counted: ((EventLogs) -> Void)? = nil, _ progress: (Progress) -> Void = { _ in }
  ) -> ScenarioReport {
    var simulator = simulator(scenario, reports: counted != nil)
    simulator.record(tape)
    if counted == nil { simulator.readers.logs.audience = .expectations }
    defer { counted?(simulator.readers.logs) }
    return play(scenario, on: &simulator, flags: flags, progress)
  }

  /// Plays the scenario to its end, with an audit.
  ///
  /// - Parameters:
  ///   - resender: sends again what was not accepted.
  ///   - isCancelled: true if the play is to end at once.
  /// - Returns: its report, the simulator at the end, and the names of faults that have struck and were then removed;
  ///   nil if it was cancelled.
  package static func watched(
    _ scenario: Scenario, resending resender: Resender, isCancelled: () -> Bool = { false }
  ) -> (report: ScenarioReport, simulator: Simulator, struck: Set<String>)? {
    var resender = resender
    var simulator = simulator(scenario, audits: true)
    var director = ScenarioDirector(scenario, pace: .virtual, provider: VirtualProvider(scenario.plan))
    while director.due != nil || director.passed < scenario.length {
      if isCancelled() { return nil }
      let next = [director.due, resender.due].compactMap(\.self).min() ?? scenario.length
      var events: [WorldEvent] = []
      director.move(to: min(next, scenario.length), &simulator, wall: scenario.begins) { events += $0 }
      resender.read(events, in: simulator.world, at: director.passed)
      director.resend(with: &resender, in: &simulator)
    }
    return (director.report(simulator), simulator, director.struck)
  }

  /// Plays a part of a divided scenario: what pushes looked like is not kept, so failures cannot show it.
  ///
  /// - Returns: its report, and the simulator at the end.
  static func playPart(
    _ scenario: Scenario, flags: [String], _ progress: (Progress) -> Void
  ) -> (report: ScenarioReport, simulator: Simulator) {
    var simulator = simulator(scenario)
    simulator.readers.logs.audience = .nobody
    return (play(scenario, on: &simulator, flags: flags, progress), simulator)
  }

  private static func play(
    _ scenario: Scenario, on simulator: inout Simulator, flags: [String], _ progress: (Progress) -> Void
  ) -> ScenarioReport {
    var director = ScenarioDirector(scenario, pace: .virtual, flags: flags, provider: VirtualProvider(scenario.plan))
    while let due = director.due {
      director.move(to: due, &simulator, wall: scenario.begins) { _ in }
      progress(Progress(director, simulator))
    }
    director.move(to: scenario.length, &simulator, wall: scenario.begins) { _ in }
    return director.report(simulator)
  }
}
