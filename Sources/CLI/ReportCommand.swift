import ArgumentParser
import Commands
import Pushpit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit report`
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Explain the run on a tape: rates, latencies, fates, retries.",
    discussion: """
      Prints a summary. --html writes one HTML file with curves that needs no network, --json the same numbers for \
      programs; docs/report.md says what they mean. The tape is a recording by --tape of serve, simulate or run, which \
      write a report of their own with --report.

      Exit codes: 0 done, 1 this program does not repeat the tape, or a file cannot be written, 2 the file is not a \
      tape, or has an unknown format, 3 the tape is truncated or damaged; after 1 and 3, the report is of what there is.
      """)

  @Argument(help: ArgumentHelp("The tape.", valueName: "tape"))
  var tape: String
  @Option(help: ArgumentHelp("Write an HTML file; - for standard output.", valueName: "file|-"))
  var html: String?
  @Option(help: ArgumentHelp("Write JSON; - for standard output.", valueName: "file|-"))
  var json: String?

  func validate() throws {
    guard html == OutputFile.standardOutput, json == OutputFile.standardOutput else { return }
    throw ValidationError("Only one of --html and --json can be - (standard output).")
  }

  func run() throws {
    for (flag, path) in [("--html", html), ("--json", json)] {
      if let path { try OutputFile.check(path, for: flag) }
    }
    let isTerminal = isatty(STDERR_FILENO) == 1
    let made: TapeReport
    do {
      made = try TapeReport(tape) { if isTerminal { Terminal.replaceLine($0) } }
    } catch let problem as ReplayProblem {
      if isTerminal { Terminal.replaceLine("") }
      Terminal.say("Error: \(problem)")
      throw ExitCode(2)
    }
    if isTerminal { Terminal.replaceLine("") }
    if let html { try OutputFile.write(made.report.html, to: html) }
    if let json { try OutputFile.write(made.report.json, to: json) }
    let summary = made.report.summary
    // A report for programs must be the only text on standard output.
    if [html, json].contains(OutputFile.standardOutput) { Terminal.say(summary) } else { Terminal.announce(summary) }
    if made.ending != .same { throw ExitCode(made.ending.rawValue) }
  }
}
