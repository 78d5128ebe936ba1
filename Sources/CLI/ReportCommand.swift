import ArgumentParser
import ClientCommands
import Pushpit
import RunCommands

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit report`
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Explain the run on a tape, or compare two runs.",
    discussion: """
        pushpit report match.tape --html match.html
        pushpit report before.json after.json

      Prints a summary. --html writes one HTML file with charts, which needs no network; --json writes the \
      same numbers for programs; docs/report.md explains them. The tape is recorded with --tape by serve, simulate or \
      run, which can also write a report themselves with --report.

      With two files, it compares two runs: the JSON of `load --json`, or two reports in JSON. It prints the ratio of \
      each number, and which got worse by more than 10 %.

      Exit codes: 0 done, 1 this program's results differ from those on the tape, 2 the file is not a tape, or has an \
      unknown format, or a file cannot be written, 3 the tape is truncated or damaged. After 1 and 3, the report \
      covers everything up to that place.
      """)

  @Argument(help: ArgumentHelp("The tape, or the JSON of two runs.", valueName: "file"))
  var files: [String]
  @Option(help: ArgumentHelp("Write an HTML file; - for standard output.", valueName: "file|-"))
  var html: String?
  @Option(help: ArgumentHelp("Write JSON; - for standard output.", valueName: "file|-"))
  var json: String?

  func validate() throws {
    guard files.count <= 2 else { throw ValidationError("Give one tape, or the JSON of two runs.") }
    if files.count == 2, html != nil {
      throw ValidationError("--html is for the report of one tape; a comparison of two runs is text or --json.")
    }
    guard html == OutputFile.standardOutput, json == OutputFile.standardOutput else { return }
    throw ValidationError("Only one of --html and --json can be - (standard output).")
  }

  func run() throws {
    if files.count == 2 { try compare() } else { try explain(files[0]) }
  }

  private func compare() throws {
    let numbers = try json.map { path throws(CommandFailure) in try OutputFile(path, for: "--json", reading: files) }
    let runs = try files.map { file in
      guard let bytes = InputFile.read(file) else {
        throw CommandFailure("\(file) cannot be read, or is larger than a megabyte.", .invalid)
      }
      return (name: file, bytes: bytes)
    }
    let comparison = try RunComparison(runs[0], runs[1])
    try numbers?.write(comparison.json)
    if json == OutputFile.standardOutput {
      Terminal.say(comparison.text)
    } else {
      Terminal.announce(comparison.text)
    }
  }

  private func explain(_ tape: String) throws {
    let page = try html.map { path throws(CommandFailure) in try OutputFile(path, for: "--html", reading: [tape]) }
    let numbers = try json.map { path throws(CommandFailure) in try OutputFile(path, for: "--json", reading: [tape]) }
    let isTerminal = isatty(STDERR_FILENO) == 1
    let made: TapeReport
    do {
      made = try TapeReport(tape) { if isTerminal { Terminal.replaceLine($0) } }
    } catch let problem as ReplayProblem {
      if isTerminal { Terminal.replaceLine("") }
      Terminal.say("Error: \(problem)")
      throw ExitCode(.invalid)
    }
    if isTerminal { Terminal.replaceLine("") }
    try page?.write(made.report.html)
    try numbers?.write(made.report.json)
    let summary = made.report.summary
    // A report for programs must be the only text on standard output.
    if [html, json].contains(OutputFile.standardOutput) { Terminal.say(summary) } else { Terminal.announce(summary) }
    if made.ending != .same { throw ExitCode(made.ending) }
  }
}
