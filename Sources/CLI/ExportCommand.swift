import ArgumentParser
import ClientCommands
import Pushpit
import RunCommands

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit export`
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the contents of a tape as tables, for SQL.",
    discussion: """
      Plays the tape like `pushpit replay`, and writes rows of four tables: pushes, events, calls and findings. \
      docs/analysis.md describes their columns, and has examples in SQL.

        pushpit export run.tape --sqlite run.sqlite
        pushpit export run.tape --jsonl - | jq 'select(.status == 429)'

      --sqlite replaces the tables of an earlier export. Any other file that is not empty is left unchanged, and the \
      command fails. --jsonl replaces the contents of any file.

      Exit codes: 0 done, 1 this program's results differ from those on the tape, 2 the file is not a tape, or has an \
      unknown format, or a file cannot be written, 3 the tape is truncated or damaged. After 1 and 3, everything up \
      to that place is exported. 130 interrupted; a SQLite file is then as it was before.
      """)

  @Argument(help: ArgumentHelp("The tape.", valueName: "file"))
  var file: String
  @Option(help: ArgumentHelp("Write a SQLite file.", valueName: "file"))
  var sqlite: String?
  @Option(help: ArgumentHelp("Write a line of JSON for each row; - for standard output.", valueName: "file|-"))
  var jsonl: String?

  func validate() throws {
    guard (jsonl == nil) != (sqlite == nil), sqlite != OutputFile.standardOutput else {
      throw ValidationError("Use either --sqlite FILE, or --jsonl FILE, - for standard output.")
    }
  }

  func run() throws {
    let isTerminal = isatty(STDERR_FILENO) == 1 && jsonl != OutputFile.standardOutput
    var export = Export(file)
    let result: (ending: Replay.Ending, report: String)
    var (claim, database, lines): (OutputFile?, ExportDatabase?, EventsFile?)
    let signals = InterruptionBySignal()
    do {
      result = try export.write(
        begin: {
          if let sqlite {
            claim = try OutputFile(sqlite, for: "--sqlite", reading: [file])
            database = try ExportDatabase(sqlite)
          } else if let jsonl {
            lines = jsonl == OutputFile.standardOutput ? EventsFile() : try EventsFile(jsonl, reading: file)
          }
        },
        to: { table, cells in
          guard !signals.isWanted else { throw CommandFailure("The export was interrupted.", .interrupted) }
          try database?.insert(cells, into: table)
          try lines?.add(ExportLine.json(cells, of: table))
        }, progress: { if isTerminal { Terminal.replaceLine($0) } })
      try database?.finish()
      claim?.keep()
      try lines?.finish()
    } catch let problem as ReplayProblem {
      if isTerminal { Terminal.replaceLine("") }
      Terminal.say("Error: \(problem)")
      throw ExitCode(.invalid)
    }
    if isTerminal { Terminal.replaceLine("") }
    Terminal.say(result.report)
    Terminal.say(export.summary)
    if result.ending != .same { throw ExitCode(result.ending) }
  }
}
