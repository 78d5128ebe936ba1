import ArgumentParser
import Commands

/// `pushpit doctor`
struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Say why a client cannot connect.",
    discussion: """
      Looks at the certificates and keys here, then at the running server as a client would, and lists what the server \
      has noticed of clients that did not get on. It leaves no trace in the server's ledger, metrics and troubles. \
      Exits with 1 when something is wrong.
      """)

  @OptionGroup var state: Keys.StateOptions
  @Option(
    help: ArgumentHelp(
      "The gateway; else PUSHPIT_PORT, what --admin says, or the server running from the state folder.",
      valueName: "url"))
  var server: String?
  @Option(
    help: ArgumentHelp(
      "The admin API; else PUSHPIT_ADMIN_PORT, or the server running from the state folder.", valueName: "url"))
  var admin: String?

  func run() throws {
    let diagnosis = Diagnosis(RunningServer(try state.folder(), gateway: server, admin: admin))
    for finding in diagnosis.findings { print(finding.isGood ? "ok   " : "WRONG", finding.sentence) }
    if !diagnosis.troubles.isEmpty {
      print("\nWhat the server noticed of clients lately:")
      for trouble in diagnosis.troubles { print("  \(trouble)") }
    }
    if !diagnosis.isGood { throw ExitCode(1) }
  }
}
