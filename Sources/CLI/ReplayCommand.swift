import ArgumentParser
import Commands
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
    abstract: "Play a tape again, and say whether the same comes of it.",
    discussion: """
      A tape is what --tape of serve, simulate or run has written: how the world was made, every \
      call at its doors, and what came of each. Playing it opens no socket and waits for nothing.

      Exit codes: 0 the same came of it, 1 something else did (the first difference is told), 2 the file is not a \
      tape, or of a format that this program does not know, 3 the same as far as it goes, but the tape is cut or \
      damaged.
      """)

  @Argument(help: ArgumentHelp("The tape.", valueName: "file"))
  var file: String
  @Option(
    help: ArgumentHelp("Write every event as a line of JSON; the same tape gives the same bytes.", valueName: "file"))
  var events: String?

  func run() throws {
    let isTerminal = isatty(STDERR_FILENO) == 1
    let lines = try events.map { try EventsFile($0) }
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
      throw ExitCode(2)
    }
    if isTerminal { Terminal.replaceLine("") }
    Terminal.announce(result.report)
    if result.ending != .same { throw ExitCode(result.ending.rawValue) }
  }
}
