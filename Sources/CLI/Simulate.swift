import ArgumentParser
import Pushpit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit simulate`
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play scenarios in virtual time: no sockets, no waiting, exact.",
    discussion: """
      A scenario is a YAML file: a fleet, what happens when, and what must be true (Scenarios/README.md). Nine hours \
      take seconds, and the same file with the same seed gives the same report, byte for byte.

      Exit codes: 0 all that is expected is true, 1 something is not, or a step could not be done, 2 a file is no \
      scenario.
      """)

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

  @Option(
    help: ArgumentHelp("Write a tape of the run, for `pushpit replay`; takes one scenario.", valueName: "file"))
  var tape: String?

  private static let mostSeeds = 100_000

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("Name a scenario file, such as Scenarios/first-steps.yaml.") }
    if let swarm, !(1...Self.mostSeeds).contains(swarm) {
      throw ValidationError("--swarm is a number of seeds from 1 to \(Self.mostSeeds).")
    }
    if tape != nil, files.count > 1 || swarm != nil {
      throw ValidationError("A tape is of one run: give --tape with one scenario file, and without --swarm.")
    }
  }

  func run() throws {
    // All are read before any is played, so that a slip in the last does not come after minutes.
    let scenarios = try files.map { try ScenarioFile.read($0, seed: seed) }
    let isTerminal = isatty(STDERR_FILENO) == 1
    var simulator = Simulator(progress: isTerminal ? { Terminal.replaceLine($0) } : nil)
    for scenario in scenarios {
      let report =
        if let tape { try simulator.play(scenario, tape: tape) } else { simulator.play(scenario, swarm: swarm) }
      if isTerminal { Terminal.replaceLine("") }
      Terminal.announce(report)
      Terminal.say("      " + simulator.pace)
    }
    if let junit { try OutputFile.write(simulator.junit, to: junit) }
    if let json { try OutputFile.write(simulator.json, to: json) }
    if !simulator.passed { throw ExitCode(1) }
  }
}
