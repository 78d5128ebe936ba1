import ArgumentParser
import Commands

/// `--report` of the commands that run something.
struct ReportFiles: ParsableArguments {
  @Option(
    name: .customLong("report"),
    help: ArgumentHelp("Write a report of the run: HTML, or JSON to *.json.", valueName: "file"))
  var files: [String] = []

  var isWanted: Bool { !files.isEmpty }

  func validate() throws {
    guard files.contains(OutputFile.standardOutput) else { return }
    throw ValidationError("--report must be a file, such as --report report.html.")
  }

  /// Called before the run, so that nobody waits for a report that cannot be saved.
  func check() throws(Failed) { for file in files { try OutputFile.check(file, for: "--report") } }

  func write(_ report: ReportFile) throws(Failed) {
    for file in files {
      let isJSON = file.lowercased().hasSuffix(".json")
      try OutputFile.write(isJSON ? report.json : report.html, to: file)
    }
  }
}
