import RunCommands
import ScenarioFiles
import Simulation
import Synchronization
import Testing

@Suite("The progress of a scenario")
struct ProgressReporterTests {
  /// A clock that goes a second on whenever it is looked at.
  private final class Steps: Sendable {
    private let looks = Mutex(0)
    private let lines = Mutex<[String]>([])
    private let began = ContinuousClock.now

    func now() -> ContinuousClock.Instant {
      began.advanced(
        by: .seconds(
          looks.withLock {
            $0 += 1; return $0
          }))
    }
    func say(_ line: String) { lines.withLock { $0.append(line) } }
    var said: [String] { lines.withLock { $0 } }
  }

  private func play(first: Duration, every: Duration) throws -> [String] {
    let steps = Steps()
    let reporter = ProgressReporter(first: first, every: every, clock: { steps.now() }, say: { steps.say($0) })
    var runs = ScenarioRuns(.simulated, progress: reporter)
    let file = try ScenarioFile.parse(
      """
      name: long
      for: 1h
      settings: {fleet: {devices: 1, ideal: true}}
      steps: [{every: 1m, times: 60, push: {payload: {aps: {alert: A}}}}]
      expect: [{pushes: {}, count: 60}]
      """, named: "long.yaml")
    _ = try runs.play(file)
    return steps.said
  }

  @Test("the progress of a scenario is silent for a short run")
  func soon() throws {
    #expect(try play(first: .seconds(100_000), every: .seconds(1)).isEmpty)
  }

  @Test("the progress of a scenario shows the time reached and the number of pushes")
  func lines() throws {
    let lines = try play(first: .seconds(2), every: .seconds(2))
    #expect(lines.count > 1)
    #expect(lines.allSatisfy { $0.hasPrefix("long, seed 1: ") && $0.contains(" of 1h, ") && $0.hasSuffix(" pushes") })
  }

  @Test("the progress of a scenario has a minimum interval between lines")
  func distance() throws {
    let often = try play(first: .seconds(2), every: .seconds(1)).count
    let seldom = try play(first: .seconds(2), every: .seconds(5)).count
    #expect(seldom > 0 && seldom < often)
  }
}
