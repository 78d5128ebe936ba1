import Simulation
import Timeline
import WireFormats

/// Plays scenario files in virtual time: no sockets, no waiting, and the same report for the same file and seed.
public struct Simulator {
  /// What has been played so far.
  public private(set) var passed = true
  private var reports: [ScenarioReport] = []
  private let progress: ((String) -> Void)?
  private let clock = ContinuousClock()

  /// - Parameter progress: takes a line about how far a scenario has come, some times a second.
  public init(progress: ((String) -> Void)? = nil) { self.progress = progress }

  /// Plays a scenario.
  ///
  /// - Parameter swarm: how many seeds, counted up from the scenario's own; nil for that one only.
  /// - Returns: the report for people.
  public mutating func play(_ file: ScenarioFile, swarm: Int? = nil) -> String {
    guard let swarm else {
      let report = play(file.scenario)
      reports.append(report)
      passed = passed && report.passed
      return report.text
    }
    var all = Swarm()
    for number in 0..<max(1, swarm) {
      all.add(play(file.scenario.seeded(file.scenario.seed &+ UInt64(number))))
    }
    reports += all.judged
    passed = passed && all.passed
    return all.text
  }

  /// Plays a scenario and writes a tape of it.
  public mutating func play(_ file: ScenarioFile, tape path: String) throws(TapeFailure) -> String {
    let header = WorldSource(.scenario(file.source), keys: nil).header(began: file.scenario.begins)
    let writer = try TapeWriter(path, header)
    let report = play(file.scenario) { writer.add($0) }
    reports.append(report)
    passed = passed && report.passed
    try writer.finish()
    return report.text
  }

  /// How fast the last scenario was played; differs from run to run, so it is no part of a report.
  public private(set) var pace = ""

  private mutating func play(
    _ scenario: Scenario, tape: (@Sendable (TapeBatch) -> Void)? = nil
  ) -> ScenarioReport {
    let start = clock.now
    var said = start
    let report = ScenarioPlayer.play(scenario, tape: tape) { [clock, progress] now in
      guard let progress, said.duration(to: clock.now) > .milliseconds(200) else { return }
      said = clock.now
      progress(
        "\(scenario.name), seed \(scenario.seed): \(DurationText.write(now.passed)) of"
          + " \(DurationText.write(now.length)), \(now.pushes) pushes")
    }
    let seconds = max(start.duration(to: clock.now) / .seconds(1), 0.001)
    let tenths = (seconds * 10).rounded() / 10
    pace = "\(tenths) s, \(Int(Double(report.events) / seconds)) events per second"
    return report
  }

  /// All that was played, for build servers.
  public var junit: String { JUnit.text(reports) }

  /// All that was played, for programs.
  public var json: String {
    JSONValue.object([.init("passed", .bool(passed)), .init("scenarios", .array(reports.map(\.json)))]).text + "\n"
  }
}
