import ArgumentParser
import Commands

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
      "URL of the gateway. Default: PUSHPIT_PORT, the server of --admin, or the server of the state folder.",
      valueName: "url"))
  var server: String?
  @OptionGroup var running: AdminOptions

  func run() throws {
    let diagnosis = Diagnosis(try running.server(gateway: server))
    for finding in diagnosis.findings { print(finding.isGood ? "ok   " : "WRONG", finding.sentence) }
    if !diagnosis.troubles.isEmpty {
      print("\nRecent problems of clients:")
      for trouble in diagnosis.troubles { print("  \(trouble)") }
    }
    if !diagnosis.isGood { throw ExitCode(1) }
  }
}
