import ArgumentParser
import ClientCommands
import Pushpit
import RunCommands
import ScenarioFiles

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit run`
struct Run: ParsableCommand, BackendWordsCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Play scenarios against your backend: pass or fail.",
    discussion: """
      Starts the gateways with the scenario's fleet and, if the file or --exec names a command, the backend \
      under test. Environment variables contain the addresses of Pushpit (PUSHPIT_READY, PORT and others, see \
      Scenarios/README.md). Plays the scenario, evaluates the expectations, ends the backend, and prints the same \
      report as simulate.

      A backend with a tick receives the time, and the scenario runs as fast as that backend works. Any other backend \
      uses the machine's clock; with --speed 60, a scenario minute passes in a second for the phones. Arguments after \
      -- are appended to the backend's command.

      Runs with a real backend differ each time. A failed run writes a tape to the state folder, which keeps the \
      latest 20, and prints its name: pushpit replay repeats exactly that run.

      Exit codes: 0 all expectations passed, 1 one failed or a step could not be done, 2 a file is not a valid \
      scenario, 3 the run was aborted: the backend could not be started, was not ready in time, died, did not \
      answer a tick; 130 interrupted by a signal.
      """)

  @OptionGroup var scenarios: ScenarioOptions
  @OptionGroup var backend: BackendOptions
  @Option(help: ArgumentHelp("Scenario seconds per real second, if the backend has no tick.", valueName: "n"))
  var speed = 1.0
  @Option(help: ArgumentHelp("File for the backend's output.", valueName: "file"))
  var backendLog: String?
  @Flag(help: "Show Pushpit's messages during the run.")
  var verbose = false

  /// A scenario of a hundred years then takes no longer than a duration can be.
  private static let slowest = 0.001
  private static let fastest = 100_000.0

  func validate() throws {
    if backendLog == OutputFile.standardOutput {
      throw ValidationError("--backend-log must be a file: standard output is for the report.")
    }
    try Self.check(speed: speed)
  }

  static func check(speed: Double) throws {
    guard (slowest...fastest).contains(speed) else {
      throw ValidationError("--speed must be from \(slowest) to \(Int(fastest)), such as 60.")
    }
  }

  func run() throws { try play(extra: []) }

  func play(extra: [String]) throws {
    var options = try backend.live(extra)
    options.speed = speed
    options.log = backendLog
    if verbose {
      let log = LineWriter(STDERR_FILENO)
      options.say = { log.say($0) }
    }
    if let backendLog { try OutputFile.check(backendLog, for: "--backend-log") }
    do {
      try scenarios.play(.live(options))
    } catch let failure as StartFailure where !failure.isOfInput {
      throw CommandFailure("\(failure)", .unjudged)
    }
  }
}
