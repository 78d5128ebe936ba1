import Grammar
import Pushpit
import ScenarioFiles
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Plays scenario files, one after another, and keeps their reports.
package struct ScenarioRuns {
  /// The way in which scenarios are played.
  package enum Driver: Sendable {
    /// In virtual time: without sockets or waiting, and with the same report for the same file and seed.
    case simulated
    /// With a real backend.
    case live(LiveOptions)
  }

  /// True if everything played so far has passed.
  package private(set) var passed = true
  /// True if everything was played to its end: no backend died, and no signal was received.
  package private(set) var isWhole = true
  /// True if a signal has ended the last run.
  package private(set) var isInterrupted = false
  private var reports: [ScenarioReport] = []
  private let driver: Driver
  /// The file for a tape.
  package var tape: String?
  /// True if the numbers of a run are wanted; only with one scenario and one seed.
  package var countsNumbers = false
  /// The maximum number of threads that play a scenario of many devices in virtual time.
  package var threads = 1
  package static let mostThreads = DividedScenario.mostParts
  /// The default number of threads: as many as there are processors, but no more than `mostThreads`.
  package static var usualThreads: Int { min(ProcessorTimes.count, mostThreads) }
  /// The numbers of the last run.
  package var numbers: ReportFile? { runReport.map { ReportFile($0) } }
  private var runReport: RunReport?
  private let progress: ProgressReporter?
  private let backend = KeptBackend()
  private let clock = ContinuousClock()

  /// - Parameter progress: reports progress; nil for none.
  package init(_ driver: Driver, progress: ProgressReporter? = nil) {
    self.driver = driver
    self.progress = progress
  }

  private var live: LiveOptions? { if case .live(let options) = driver { options } else { nil } }

  /// Reads a file for playing.
  package func read(_ path: String, seed: UInt64? = nil) throws -> ScenarioFile {
    let file = try ScenarioFile.read(path, seed: seed, live: live)
    if live != nil { try file.checkCertificates() }
    if live == nil, file.backend != nil {
      throw InputProblem(
        path, "this scenario has a backend, which cannot run in virtual time; play it with pushpit run.")
    }
    if live == nil, let step = file.scenario.steps.first(where: { ($0.action as? KeysStep)?.keyID != nil }) {
      throw InputProblem(
        step.place,
        "pushpit simulate sends with a key of its own, so no other can be named; use all, or play it with pushpit run.")
    }
    return file
  }

  /// Plays a scenario.
  ///
  /// - Parameters:
  ///   - swarm: number of seeds, counting up from the scenario's own; nil for that one only.
  ///   - mixes: whether each seed except the first leaves out about half of the faults.
  /// - Returns: the report for people.
  package mutating func play(_ file: ScenarioFile, swarm: Int? = nil, mixes: Bool = false) throws -> String {
    guard let swarm else {
      let report = try report(file)
      reports.append(report)
      passed = passed && report.passed
      return report.text
    }
    var all = Swarm()
    for number in 0..<max(1, swarm) {
      var one = file.seeded(file.scenario.seed &+ UInt64(number))
      if mixes, number > 0 { one = try one.leavingOut(one.scenario.mix(one.scenario.seed), place: file.scenario.file) }
      all.add(try report(one))
      if !isWhole { break }
    }
    reports += all.judged
    passed = passed && all.passed
    return all.text
  }

  /// Finds a minimal set of faults with which a scenario still fails.
  ///
  /// - Returns: the result as text, and a scenario with only those faults; nil if it passes or was aborted.
  package mutating func shrink(_ file: ScenarioFile) throws -> (words: String, text: String)? {
    // Most likely the run fails, and then only one undivided world can report it.
    let whole = try report(file, isDivided: false)
    guard !whole.passed, isWhole else { return nil }
    let failed = Set(whole.failures)
    let all = file.scenario.faults
    var plays = 0
    let kept = try Shrinker.smallest(of: all) { kept throws(any Error) in
      plays += 1
      let left = try file.leavingOut(all.filter { !kept.contains($0) }, place: file.scenario.file)
      return !failed.isDisjoint(with: try report(left, isDivided: false).failures)
    }
    let small = try file.leavingOut(all.filter { !kept.contains($0) }, place: file.scenario.file)
    let words =
      kept.isEmpty
      ? "it fails without any of its \(all.count) faults"
      : "it fails with \(kept.count) of its \(all.count) faults: \(kept.joined(separator: ", "))"
    let header = "# Made by --shrink of \(file.scenario.file): \(words).\n"
    return ("\(words) (\(plays) plays)", header + (try small.edited))
  }

  /// The announcement of a scenario that takes real time: how long it takes, and what would make it instant.
  package func announcement(of file: ScenarioFile) -> String? {
    guard let live, let speed = file.speed(live) else { return nil }
    let isAlone = file.backend == nil
    let faster = speed == 1 ? " (--speed 60 \(isAlone ? "is faster" : "hurries only the phones"))" : ""
    let instant =
      isAlone
      ? "it has no backend, so `pushpit simulate` plays it in virtual time"
      : "with a tick of the backend it takes seconds: docs/tick.md"
    let length = DurationText.write(file.scenario.length / speed)
    return "playing \(file.scenario.name): it takes \(length) of real time\(faster); \(instant)"
  }

  /// The speed at which the last scenario was played; it varies, so it is not part of a report.
  package private(set) var pace = ""

  /// Plays it once, without storing the result.
  ///
  /// - Parameter isDivided: whether its devices may be divided among several worlds.
  mutating func report(_ file: ScenarioFile, isDivided: Bool = true) throws -> ScenarioReport {
    let scenario = file.scenario
    let start = clock.now
    let say = progress?.start(scenario.name, seed: scenario.seed, speed: live.flatMap(file.speed)) ?? { _ in }
    let report: ScenarioReport
    switch driver {
    case .simulated where isDivided && tape == nil && !countsNumbers:
      let parts = DividedScenario.parts(scenario, threads: threads)
      let divided = DividedScenario(scenario, parts: parts, flags: file.flags)
      report =
        divided.flatMap { DividedRun($0, threads: threads).play(say) }
        ?? ScenarioPlayer.play(scenario, flags: file.flags, say)
    case .simulated:
      let writer = try tape.map { path in
        try TapeWriter(path, WorldSource(.scenario(file.source), keys: nil).header(began: scenario.begins))
      }
      let taking = writer.map { writer in { @Sendable (batch: TapeBatch) in writer.add(batch) } }
      var logs: EventLogs?
      let keep: ((EventLogs) -> Void)? = countsNumbers ? { logs = $0 } : nil
      report = ScenarioPlayer.play(scenario, flags: file.flags, tape: taking, counted: keep, say)
      if let logs {
        runReport = RunReport(
          .init(
            command: report.again, program: Version.text, plan: scenario.plan, began: scenario.begins, isVirtual: true),
          logs)
      }
      try writer?.finish()
    case .live(let options):
      report = try play(file, options: options, say)
    }
    let seconds = max(start.duration(to: clock.now) / .seconds(1), 0.001)
    let tenths = (seconds * 10).rounded() / 10
    runReport?.scenario = report
    pace = "\(tenths) s, \(Int(Double(report.head.events) / seconds)) events per second"
    return report
  }

  /// With a real backend, with a tape that is kept if it fails.
  private mutating func play(
    _ file: ScenarioFile, options: LiveOptions, _ say: @escaping (ScenarioPlayer.Progress) -> Void
  ) throws -> ScenarioReport {
    let scenario = file.scenario
    let own = tape == nil ? RunTape(.of(file.settings), name: scenario.name, seed: scenario.seed) : nil
    var report: ScenarioReport
    do {
      let run = try LiveRun(
        file, options, record: .init(tape: tape ?? own?.path, reports: countsNumbers), sharing: backend, progress: say)
      report = run.play()
      if countsNumbers { runReport = run.numbers(command: report.again) }
      isWhole = isWhole && run.isWhole
      isInterrupted = isInterrupted || run.isInterrupted
    } catch {
      own?.discard()
      throw error
    }
    if report.passed {
      own?.remove()
    } else {
      own?.keep()
      report.tape = tape ?? own?.path
    }
    return report
  }

  /// A line with the numbers of scenarios that passed and failed; nil for a single scenario.
  package var summary: String? {
    guard reports.count > 1 else { return nil }
    let failed = reports.count { !$0.passed }
    return
      "\(failed == 0 ? "PASS" : "FAIL")  \(reports.count) scenarios: \(reports.count - failed) passed, \(failed) failed"
  }

  /// The JUnit report of everything played.
  package var junit: String { JUnit.text(reports.map(\.suite)) }

  /// The JSON report of everything played.
  package var json: String {
    JSONValue.object([.init("passed", .bool(passed)), .init("scenarios", .array(reports.map(\.json)))]).text + "\n"
  }
}
