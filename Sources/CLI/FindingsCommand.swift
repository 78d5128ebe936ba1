import ArgumentParser
import ClientCommands

/// `pushpit findings`
struct FindingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "findings", abstract: "List mistakes of your backend that the audit has found.",
    discussion: """
      The server audits with --audit; sessions always have findings.

        pushpit findings
        pushpit findings --kind hastyRetry
      """)

  @Option(help: ArgumentHelp("Findings of this kind, such as hastyRetry.", valueName: "word"))
  var kind: String?
  @Option(help: ArgumentHelp("Findings of this session.", valueName: "name"))
  var session: String?
  @OptionGroup var page: PageOptions

  func run() throws {
    try page.show("findings", filters: [("kind", kind), ("session", session)], nothing: "There is no such finding.") {
      Table(ListRows.findings($0.value)).lines(columns: $1)
    }
  }
}
