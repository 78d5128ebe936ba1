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

        pushpit export run.tape --csv run
        pushpit export run.tape --jsonl - | jq 'select(.status == 429)'

      --csv creates the folder, and writes a file for each table and schema.sql, which creates the tables in sqlite3, \
      DuckDB and PostgreSQL.

      Exit codes: 0 done, 1 this program's results differ from those on the tape, 2 the file is not a tape, or has an \
      unknown format, or a file cannot be written, 3 the tape is truncated or damaged. After 1 and 3, everything up \
      to that place is exported.
      """)

  @Argument(help: ArgumentHelp("The tape.", valueName: "file"))
  var file: String
  @Option(help: ArgumentHelp("Write a line of JSON for each row; - for standard output.", valueName: "file|-"))
  var jsonl: String?
  @Option(help: ArgumentHelp("Write a CSV file for each table.", valueName: "folder"))
  var csv: String?

  func validate() throws {
    guard (jsonl == nil) != (csv == nil) else {
      throw ValidationError("Use either --jsonl FILE, - for standard output, or --csv FOLDER.")
    }
  }

  func run() throws {
    let isTerminal = isatty(STDERR_FILENO) == 1 && jsonl != OutputFile.standardOutput
    var export = Export(file, as: csv == nil ? .jsonLines : .csv)
    let result: (ending: Replay.Ending, report: String)
    var outputs: [ExportTable: EventsFile] = [:]
    do {
      result = try export.write(
        begin: { outputs = try self.outputs() }, to: { table, line in try outputs[table]?.add(line) },
        progress: { if isTerminal { Terminal.replaceLine($0) } })
      for output in outputs.values { try output.finish() }
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

  /// The file of each table.
  private func outputs() throws(CommandFailure) -> [ExportTable: EventsFile] {
    var files: [ExportTable: EventsFile] = [:]
    if let jsonl {
      let file = jsonl == OutputFile.standardOutput ? EventsFile() : try EventsFile(jsonl, reading: self.file)
      for table in ExportTable.allCases { files[table] = file }
    } else if let csv {
      guard mkdir(csv, 0o755) == 0 || errno == EEXIST else {
        throw CommandFailure("--csv: the folder \(csv) cannot be made: \(String(cString: strerror(errno))).", .invalid)
      }
      for table in ExportTable.allCases {
        files[table] = try EventsFile("\(csv)/\(table.rawValue).csv", reading: file)
      }
      try OutputFile("\(csv)/schema.sql", for: "--csv", reading: [file]).write(ExportTable.schema)
    }
    return files
  }
}
