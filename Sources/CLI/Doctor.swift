import ArgumentParser
import ClientCommands

/// `pushpit doctor`
struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Find out why a client cannot connect.",
    discussion: """
      Checks the local certificates and keys, then connects to the running server like a client, and lists the \
      problems that clients have had with the server. It leaves no trace in the server's ledger, metrics and troubles. \
      Exits with 1 if something is wrong.
      """)

  @Option(
    help: ArgumentHelp(
      "URL of the gateway. Default: that of the server.",
      valueName: "url"))
  var server: String?
  @OptionGroup var running: AdminOptions

  func run() throws {
    let diagnosis = try diagnosis()
    for finding in diagnosis.findings {
      Terminal.announce("\(finding.isGood ? "ok   " : "WRONG") \(finding.sentence)")
    }
    if !diagnosis.troubles.isEmpty {
      Terminal.announce("\nRecent problems of clients:")
      for trouble in diagnosis.troubles { Terminal.announce("  \(trouble)") }
    }
    if !diagnosis.isGood { throw ExitCode(.no) }
  }

  private func diagnosis() throws -> Diagnosis {
    do {
      return Diagnosis(try running.server(gateway: server))
    } catch let failure as CommandFailure where failure.exit == .noServer {
      return Diagnosis(try running.state.folder(), without: failure)
    }
  }
}
