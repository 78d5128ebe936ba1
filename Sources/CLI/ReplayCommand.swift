import ArgumentParser
import ClientCommands
import Pushpit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit replay`
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Repeat the run on a tape, and compare the results.",
    discussion: """
      A tape is recorded with --tape by serve, simulate or run: how the world was created, every call of its entry \
      points, and the results. Replaying opens no sockets and does not wait.

      Exit codes: 0 the results are the same, 1 they differ (the first difference is printed), 2 the file is not a \
      tape, or has an unknown format, 3 the results are the same up to the place where the tape is truncated or \
      damaged.
      """)

  @Argument(help: ArgumentHelp("The tape.", valueName: "file"))
  var file: String
  @Option(
    help: ArgumentHelp("Write every event as a line of JSON, with the same bytes each time.", valueName: "file"))
  var events: String?

  func run() throws {
    let isTerminal = isatty(STDERR_FILENO) == 1
    let lines = try events.map { try EventsFile($0, reading: file) }
    var replay = Replay(file)
    let result: (ending: Replay.Ending, report: String)
    do {
      result = try replay.play(
        events: lines.map { lines in { try lines.add($0) } },
        progress: { if isTerminal { Terminal.replaceLine($0) } })
      try lines?.finish()
    } catch let problem as ReplayProblem {
      if isTerminal { Terminal.replaceLine("") }
      Terminal.say("Error: \(problem)")
      throw ExitCode(.invalid)
    }
    if isTerminal { Terminal.replaceLine("") }
    Terminal.announce(result.report)
    if result.ending != .same { throw ExitCode(result.ending) }
  }
}
