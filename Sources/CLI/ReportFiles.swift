import ArgumentParser
import ClientCommands
import RunCommands

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

  /// Claims the files; call it before the run, and keep the result until the report is written.
  ///
  /// - Parameter inputs: files that the command reads.
  func claimed(reading inputs: [String] = []) throws(CommandFailure) -> Claimed {
    var claimed = Claimed()
    for file in files {
      let isJSON = file.lowercased().hasSuffix(".json")
      claimed.outputs.append((try OutputFile(file, for: "--report", reading: inputs), isJSON))
    }
    return claimed
  }

  /// The files of `--report` while a command runs.
  struct Claimed {
    fileprivate var outputs: [(file: OutputFile, isJSON: Bool)] = []

    func write(_ report: ReportFile) throws(CommandFailure) { try write(json: report.json, html: report.html) }

    func write(
      json: @autoclosure () -> String, html: @autoclosure () -> String
    ) throws(CommandFailure) {
      for (file, isJSON) in outputs { try file.write(isJSON ? json() : html()) }
    }
  }
}
