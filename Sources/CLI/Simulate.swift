import ArgumentParser
import RunCommands

/// `pushpit simulate`
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Play scenarios in virtual time, without sockets or waiting.",
    discussion: """
      A scenario is a YAML file: a fleet, what happens when, and what must be true (Scenarios/README.md). Nine hours \
      take seconds, and the same file with the same seed gives the same report, byte for byte.

      Exit codes: 0 all expectations passed, 1 one failed or a step could not be done, 2 a file is not a valid \
      scenario.
      """)

  @OptionGroup var scenarios: ScenarioOptions
  @Option(
    help: ArgumentHelp(
      "Threads that play the parts of a scenario of 500 devices or more, if nothing in it counts over all devices."
        + " Default: the number of processors. The report does not depend on the number.", valueName: "n"))
  var threads: Int?

  func validate() throws {
    if let threads, !(1...ScenarioRuns.mostThreads).contains(threads) {
      throw ValidationError("--threads must be a number from 1 to \(ScenarioRuns.mostThreads).")
    }
  }

  func run() throws {
    try scenarios.play(.simulated, threads: threads ?? ScenarioRuns.usualThreads)
  }
}
