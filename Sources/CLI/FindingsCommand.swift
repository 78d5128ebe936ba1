import ArgumentParser
import Commands

/// `pushpit findings`
struct FindingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "findings", abstract: "List mistakes of your backend that the audit has found.",
    discussion: """
      The server audits with --audit.

        pushpit findings
        pushpit findings --kind hastyRetry
      """)

  @Option(help: ArgumentHelp("Findings of this kind, such as hastyRetry.", valueName: "word"))
  var kind: String?
  @OptionGroup var page: PageOptions

  func run() throws {
    try page.show("findings", [("kind", kind)], nothing: "There is no such finding.") {
      Table(ListRows.findings($0.value)).lines(columns: $1)
    }
  }
}
