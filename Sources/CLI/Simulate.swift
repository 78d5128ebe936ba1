import ArgumentParser
import Commands

/// `pushpit simulate`
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play scenarios in virtual time, without sockets or waiting.",
    discussion: """
      A scenario is a YAML file: a fleet, what happens when, and what must be true (Scenarios/README.md). Nine hours \
      take seconds, and the same file with the same seed gives the same report, byte for byte.

      Exit codes: 0 all expectations passed, 1 one failed or a step could not be done, 2 a file is not a valid \
      scenario.
      """)

  @OptionGroup var scenarios: ScenarioOptions

  func run() throws { try scenarios.play(.simulated) }
}
