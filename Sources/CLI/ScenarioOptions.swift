import ArgumentParser
import ClientCommands
import RunCommands
import ScenarioFiles

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The options that `simulate` and `run` share.
struct ScenarioOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("Scenario files.", valueName: "file"))
  var files: [String]
  @Option(parsing: .unconditional, help: ArgumentHelp("Seed; overrides those of the files.", valueName: "n"))
  var seed: UInt64?
  @Option(
    help: ArgumentHelp(
      "Play each file with this many seeds, counting up from its own, and report the failing ones.", valueName: "n"))
  var swarm: Int?
  @Flag(help: "With --swarm: each seed except the first leaves out about half of the faults, chosen by the seed.")
  var mix = false
  @Option(
    help: ArgumentHelp("Faults of the files to leave out, separated by commas.", valueName: "name,…"))
  var without: String?
  @Option(
    help: ArgumentHelp(
      "If the scenario fails, find a minimal set of faults with which it still fails, and write that as a"
        + " scenario.", valueName: "file"))
  var shrink: String?
  @Option(help: ArgumentHelp("Write the report as JUnit XML; - for standard output.", valueName: "file|-"))
  var junit: String?
  @Option(help: ArgumentHelp("Write the report as JSON; - for standard output.", valueName: "file|-"))
  var json: String?
  @Flag(help: "Show progress on standard error from the start, even if it is not a terminal.")
  var progress = false

  @Option(
    help: ArgumentHelp("Write a tape of the run, for `pushpit replay`; only with one scenario.", valueName: "file"))
  var tape: String?

  @OptionGroup var report: ReportFiles

  private static let mostSeeds = 100_000

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("Name a scenario file, such as Scenarios/first-steps.yaml.") }
    if mix, swarm == nil { throw ValidationError("--mix needs --swarm, such as --swarm 20 --mix.") }
    if shrink != nil, files.count > 1 || swarm != nil {
      throw ValidationError("--shrink needs one scenario with one seed: the failing seed that --swarm has reported.")
    }
    if tape != nil, files.count > 1 || swarm != nil || shrink != nil {
      throw ValidationError(
        "A tape records one run: --tape needs one scenario file, without --swarm and --shrink.")
    }
    if report.isWanted, files.count > 1 || swarm != nil || shrink != nil {
      throw ValidationError(
        "A report explains one run: --report needs one scenario file, without --swarm and --shrink.")
    }
    let standard = [junit, json, shrink].count { $0 == OutputFile.standardOutput }
    if standard > 1 || tape == OutputFile.standardOutput {
      throw ValidationError("Only one of --junit, --json and --shrink can be - (standard output), and --tape cannot.")
    }
    if let swarm, !(1...Self.mostSeeds).contains(swarm) {
      throw ValidationError("--swarm must be a number of seeds from 1 to \(Self.mostSeeds).")
    }
  }

  /// Plays all files.
  ///
  /// - Parameter threads: how many may play a scenario in virtual time.
  func play(_ driver: ScenarioRuns.Driver, threads: Int = 1) throws {
    let isTerminal = isatty(STDERR_FILENO) == 1
    let outputs = try claimed()
    if let tape { try OutputFile.check(tape, for: "--tape", reading: files) }
    // A report for programs must be the only text on standard output.
    let isForProgram = [junit, json, shrink].contains(OutputFile.standardOutput)
    let announce: (String) -> Void = { isForProgram ? Terminal.say($0) : Terminal.announce(TerminalText.lines($0)) }
    var runs = ScenarioRuns(driver, progress: reporter(driver, isTerminal))
    runs.tape = tape
    runs.threads = threads
    runs.countsNumbers = report.isWanted
    // All files are read before any is played, so that a mistake in the last one is reported at once.
    let scenarios = try files.map { file in
      let scenario = try runs.read(file, seed: seed)
      guard let without else { return scenario }
      return try scenario.leavingOut(without.split(separator: ",").map(String.init), place: "--without")
    }
    for scenario in scenarios {
      if let words = runs.announcement(of: scenario) { Terminal.say(words) }
      let report = try runs.play(scenario, swarm: swarm, mixes: mix)
      if isTerminal { Terminal.replaceLine("") }
      announce(report)
      Terminal.say("      " + runs.pace)
      if !runs.isWhole { break }
    }
    if let summary = runs.summary { announce(summary) }
    if let shrink, let scenario = scenarios.first, !runs.passed, runs.isWhole {
      let found = try runs.shrink(scenario)
      if isTerminal { Terminal.replaceLine("") }
      if let found {
        try outputs.shrunk?.write(found.text)
        announce("shrunk: \(found.words); written to \(shrink)")
      } else {
        announce("not shrunk: the scenario did not fail when it was played again")
      }
    }
    if report.isWanted, let numbers = runs.numbers {
      try outputs.report.write(numbers)
      Terminal.say(numbers.summary)
    }
    try outputs.junit?.write(runs.junit)
    try outputs.json?.write(runs.json)
    if runs.isInterrupted { throw ExitCode(.interrupted) }
    if !runs.isWhole { throw ExitCode(.unjudged) }
    if !runs.passed { throw ExitCode(.no) }
  }

  /// The output files while the scenarios are played.
  private struct Outputs {
    let junit: OutputFile?
    let json: OutputFile?
    let shrunk: OutputFile?
    let report: ReportFiles.Claimed
  }

  private func claimed() throws(CommandFailure) -> Outputs {
    func output(_ path: String?, _ flag: String) throws(CommandFailure) -> OutputFile? {
      guard let path else { return nil }
      return try OutputFile(path, for: flag, reading: files)
    }
    return Outputs(
      junit: try output(junit, "--junit"), json: try output(json, "--json"), shrunk: try output(shrink, "--shrink"),
      report: try report.claimed(reading: files))
  }

  /// On a terminal, one line that is updated; elsewhere, occasional lines if requested or if the run takes real time.
  private func reporter(_ driver: ScenarioRuns.Driver, _ isTerminal: Bool) -> ProgressReporter? {
    let first: Duration = progress ? .zero : .seconds(2)
    if isTerminal { return ProgressReporter(first: first, every: .milliseconds(200)) { Terminal.replaceLine($0) } }
    let isLive = if case .live = driver { true } else { false }
    if progress { return ProgressReporter(first: first, every: .seconds(2)) { Terminal.say($0) } }
    return isLive ? ProgressReporter(first: .seconds(10), every: .seconds(10)) { Terminal.say($0) } : nil
  }
}
