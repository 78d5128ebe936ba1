import ArgumentParser
import Pushpit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What `simulate` and `run` have in common.
struct ScenarioOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("Scenario files.", valueName: "file"))
  var files: [String]
  @Option(help: ArgumentHelp("Seed in place of the files' own.", valueName: "n"))
  var seed: UInt64?
  @Option(
    help: ArgumentHelp(
      "Play each with so many seeds, counted up from its own, and report the failing ones.", valueName: "n"))
  var swarm: Int?
  @Option(help: ArgumentHelp("Write the report as JUnit XML.", valueName: "file"))
  var junit: String?
  @Option(help: ArgumentHelp("Write the report as JSON.", valueName: "file"))
  var json: String?

  private static let mostSeeds = 100_000

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("Name a scenario file, such as Scenarios/first-steps.yaml.") }
    if let swarm, !(1...Self.mostSeeds).contains(swarm) {
      throw ValidationError("--swarm is a number of seeds from 1 to \(Self.mostSeeds).")
    }
  }

  /// Plays all files, and ends as they did: 1 for a failure, 3 for a run that broke off.
  func play(_ driver: ScenarioRuns.Driver) throws {
    let isTerminal = isatty(STDERR_FILENO) == 1
    var runs = ScenarioRuns(driver, progress: isTerminal ? { Terminal.replaceLine($0) } : nil)
    // All are read before any is played, so that a slip in the last does not come after minutes.
    let scenarios = try files.map { try runs.read($0, seed: seed) }
    for scenario in scenarios {
      let report = try runs.play(scenario, swarm: swarm)
      if isTerminal { Terminal.replaceLine("") }
      Terminal.announce(report)
      Terminal.say("      " + runs.pace)
      if !runs.isWhole { break }
    }
    if let junit { try OutputFile.write(runs.junit, to: junit) }
    if let json { try OutputFile.write(runs.json, to: json) }
    if !runs.isWhole { throw ExitCode(3) }
    if !runs.passed { throw ExitCode(1) }
  }
}
