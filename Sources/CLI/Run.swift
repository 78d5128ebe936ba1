import ArgumentParser
import Commands
import ScenarioFiles

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit run`
struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play scenarios against your backend, and say pass or fail.",
    discussion: """
      Starts the gateways with the scenario's fleet and, where the file or --exec names a command, the backend under \
      test; tells it where Pushpit is (PUSHPIT_READY, PORT and others in its environment, see Scenarios/README.md); \
      plays the story; judges what is expected; ends the backend; and prints the same report as simulate.

      A backend with a tick is told the time and played as fast as it works. Any other lives by the machine's clock; \
      --speed 60 makes a minute of the story a second, for the phones. What stands after -- is put after the backend's \
      command.

      A run beside a real backend is another one each time. One that fails keeps a tape in the state folder, the \
      latest 20 of them, and names it: pushpit replay plays exactly that run again.

      Exit codes: 0 all that is expected is true, 1 something is not, or a step could not be done, 2 a file is no \
      scenario, 3 the run broke off: the backend could not be started, was not ready in time, died, did not \
      answer a tick, or a signal came.
      """)

  @OptionGroup var scenarios: ScenarioOptions
  @Option(help: ArgumentHelp("Where apps report, in place of the file's backend.", valueName: "url"))
  var backend: String?
  @Option(
    help: ArgumentHelp(
      "What starts the backend, in place of the file's; runs in this folder. Words and quotes are as in a shell.",
      valueName: "command"))
  var exec: String?
  @Option(help: ArgumentHelp("Seconds of the story in a second, where no tick sets the pace.", valueName: "n"))
  var speed = 1.0
  @Option(help: ArgumentHelp("Where the backend's output goes.", valueName: "file"))
  var backendLog: String?
  @Flag(help: "Show what Pushpit has to say while it plays.")
  var verbose = false

  private static let fastest = 100_000.0

  func validate() throws {
    if let backend, !backend.hasPrefix("http://"), !backend.hasPrefix("https://") {
      throw ValidationError("--backend is a URL such as http://127.0.0.1:8080, not \(backend).")
    }
    if backendLog == OutputFile.standardOutput {
      throw ValidationError("--backend-log is a file: standard output has the report.")
    }
    guard speed > 0, speed <= Self.fastest else {
      throw ValidationError("--speed is more than 0 and at most \(Int(Self.fastest)), such as 60.")
    }
  }

  func run() throws { try play(extra: []) }

  /// - Parameter extra: words to put after the backend's command.
  func play(extra: [String]) throws {
    var options = LiveOptions()
    options.backend = backend
    if let exec { try options.setCommand(exec) }
    options.extra = extra
    options.speed = speed
    options.log = backendLog
    if verbose {
      let log = LineWriter(STDERR_FILENO)
      options.say = { log.say($0) }
    }
    if let backendLog { try OutputFile.check(backendLog, for: "--backend-log") }
    try scenarios.play(.live(options))
  }
}
